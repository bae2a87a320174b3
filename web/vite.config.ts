// Builds the page into the Python package, which serves it: no file of the page is at another host.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../python/weir/ui/page",
    emptyOutDir: true,
    // Without inlined files, the policy of the page allows nothing but its own origin.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
