#!/sbin/dash
# What runs in the guest: the access point of /etc/weir-ap on a simulated radio, two stations with
# radios of their own, and a world behind the uplink, each in a network namespace. The guest checks
# nothing: lines "WIFI NAME VALUE" on the console are what test_wifi.py reads.

export PATH=/sbin:/usr/sbin:/usr/bin:/bin
busybox mount -t proc proc /proc
busybox --install -s /bin 2> /dev/null
# busybox's shell prefers its own ip to that of iproute2.
ln -sf /sbin/dash /bin/sh
ln -s /bin/busybox /usr/bin/env
# dnsmasq gives up root for this user.
printf 'root:x:0:0::/:/bin/sh\nnobody:x:1:1::/:/bin/sh\ndnsmasq:x:2:2::/:/bin/sh\n' > /etc/passwd
printf 'root:x:0:\nnogroup:x:1:\ndip:x:2:\n' > /etc/group
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
mkdir -p /run/netns /run/log

say() { echo "WIFI $*"; }
now() { cut -d' ' -f1 /proc/uptime; }
done_with() { say "time-$1" "$(now)"; }
# Tries a command each 0.2 s until it succeeds, for about $1 seconds.
patiently() {
    tries=$(($1 * 5))
    shift
    until "$@" > /dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.2
    done
}
# Whether a station reaches an address: sta 1 10.42.0.1
reaches() {
    if ip netns exec "sta$1" ping -c 3 -i 0.3 -W 2 "$2" > /run/log/ping 2>&1; then echo yes; else echo no; fi
}
# What systemd would run: the command of a unit.
command_of() { sed -n 's/^ExecStart=//p' "/etc/weir-ap/systemd/weir-ap-$1.service"; }
reloads() { grep -c "the files are reloaded" /run/log/switch; }
reload() {
    before=$(reloads)
    kill -HUP "$(cat /run/switch.pid)"
    patiently 60 eval '[ "$(reloads)" -gt "$before" ]' || say failed "reload $1"
}
# Seconds in which station 1 downloads a file of the world.
download() {
    start=$(now)
    ip netns exec sta1 wget -q -O /dev/null "http://198.51.100.2/$1" || return 1
    end=$(now)
    awk "BEGIN { print $end - $start }"
}

finish() {
    grep -vE " INFO " /run/log/switch | sed 's/^/WIFI log /'
    if [ -e /verbose ]; then for log in /run/log/*; do sed "s|^|$log: |" "$log"; done; fi
    say end
    poweroff -f
}
# Without this, the rest would only wait.
give_up() {
    say failed "$1"
    finish
}

[ ! -e /verbose ] || set -x
say kernel "$(uname -rm)"
for module in /modules/*.ko; do
    case $module in *hwsim*) insmod "$module" radios=3 ;; *) insmod "$module" ;; esac || say failed "$module"
done
ip link set lo up

# The world behind the uplink knows no way to the stations: only NAT reaches it.
ip netns add world
ip link add eth0 type veth peer name outside
ip link set outside netns world
ip address add 198.51.100.1/24 dev eth0
ip link set eth0 up
ip netns exec world ip address add 198.51.100.2/24 dev outside
ip netns exec world ip link set outside up
mkdir /srv
head -c 150000 /dev/urandom > /srv/data
ip netns exec world httpd -h /srv
for number in 1 2; do
    ip netns add "sta$number"
    iw phy "phy$number" set netns name "sta$number"
    ip netns exec "sta$number" ip link set lo up
done
done_with machine

/etc/weir-ap/network up || give_up network
while :; do
    $(command_of switch) >> /run/log/switch 2>&1 &
    echo $! > /run/switch.pid
    wait $!
    sleep 1
done &
$(command_of hostapd) > /run/log/hostapd 2>&1 &
patiently 40 grep -q ready /run/log/switch || give_up switch
done_with switch
$(command_of dnsmasq) > /run/log/dnsmasq 2>&1 &

for number in 1 2; do
    ip netns exec "sta$number" wpa_supplicant -B -D nl80211 -i "wlan$number" -c "/etc/weir-ap/test/station$number.conf" > "/run/log/sta$number" 2>&1
done
for number in 1 2; do
    status="wpa_cli -p /run/sta$number -i wlan$number status"
    patiently 60 eval "$status | grep -q wpa_state=COMPLETED" || give_up "association of station $number"
    say "associated-$number" "$($status | grep -E '^(wpa_state|key_mgmt)=' | sort | tr '\n' ' ')"
    # DNS knows the station by this name.
    ip netns exec "sta$number" udhcpc -q -n -t 4 -T 10 -i "wlan$number" -x "hostname:station$number" -s /etc/weir-ap/test/udhcpc > "/run/log/dhcp$number" 2>&1 &
done
# dnsmasq asks for three seconds whether anybody already has the address.
for number in 1 2; do
    patiently 60 grep -q obtained "/run/log/dhcp$number" || give_up "DHCP of station $number"
    # The address comes a moment later.
    address="ip netns exec sta$number ip -4 -o address show wlan$number"
    patiently 20 eval "$address | grep -q inet" || give_up "address of station $number"
    say "address-$number" "$($address | awk '{ print $4 }')"
done
done_with association
one=$(ip netns exec sta1 ip -4 -o address show wlan1 | awk '{ sub("/.*", "", $4); print $4 }')
two=$(ip netns exec sta2 ip -4 -o address show wlan2 | awk '{ sub("/.*", "", $4); print $4 }')

say gateway "$(reaches 1 10.42.0.1)"
say world "$(reaches 2 198.51.100.2)"
say dns "$(ip netns exec sta1 nslookup station2 10.42.0.1 | awk '/^Address/ { found = $NF } END { print found }')" "$two"
done_with pings

say isolated "$(reaches 1 "$two")"
say unlimited "$(download data || echo failed)"
done_with unlimited

cp /etc/weir-ap/test/entries.json /etc/weir-ap/entries.json
cp /etc/weir-ap/test/stations-limit.json /etc/weir-ap/stations.json
reload limit
done_with reload
say together "$(reaches 1 "$two")"
say limited "$(download data || echo failed)"
done_with limited

cp /etc/weir-ap/test/stations-block.json /etc/weir-ap/stations.json
reload block
say blocked "$(reaches 1 10.42.0.1)"
say not-blocked "$(reaches 2 10.42.0.1)"
done_with block

# The switch is killed while a station downloads, and starts again; the others go on.
cp /etc/weir-ap/test/stations-limit.json /etc/weir-ap/stations.json
reload unblock
(download data > /run/log/download || echo failed > /run/log/download) &
transfer=$!
sleep 1
kill -9 "$(cat /run/switch.pid)"
killed=$(now)
patiently 60 ip netns exec sta2 ping -c 1 -W 1 10.42.0.1 || say failed "station 2 after the restart"
say back-after "$(awk "BEGIN { print $(now) - $killed }")"
wait $transfer
say survived "$(cat /run/log/download)"
say still-associated "$(iw dev wlan0 station dump | grep -c '^Station')"
done_with restart

finish
