//! Names from P4_14, other languages and everyday speech for the declarations of an architecture.
//! The architecture's P4 file lists them in annotations. They are used only in messages.
//!
//! `@other_names("drop", "discard")` lists names in lower case. `@usage("mark_to_drop(meta)")` has
//! an example. Both annotate extern functions, methods of externs, actions, and fields of structs.

use weir_syntax::{Diagnostic, ast};

use super::Checker;
use crate::hir::{AnnotationValue, Annotations, Name, Signature};

/// Returns whether the annotations list a name. Upper and lower case are the same.
fn lists(annotations: &Annotations, word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let lists = annotations.0.iter().filter(|annotation| annotation.name == "other_names");
    lists
        .flat_map(|list| list.values())
        .any(|name| matches!(name, AnnotationValue::String(name) if *name == word))
}

/// Returns the example of how to use a declaration.
fn usage(annotations: &Annotations) -> Option<&str> {
    annotations.get("usage")?.string()
}

/// Returns the name of the method that a word stands for.
pub(super) fn method<'m>(methods: &'m [Signature], word: &str) -> Option<&'m str> {
    let method = methods.iter().find(|method| lists(&method.annotations, word))?;
    Some(method.name.text.as_str())
}

impl Checker<'_> {
    /// Returns the functions and actions in scope.
    fn callable(&self) -> impl Iterator<Item = (&Name, &Annotations)> {
        let functions = self.program.extern_functions.iter();
        let functions = functions.map(|(_, function)| (&function.0.name, &function.0.annotations));
        let actions = self.program.actions.iter().map(|(_, action)| (&action.name, &action.annotations));
        functions
            .chain(actions)
            .filter(|(found, _)| self.scopes.resolve_unmarked(found.text.as_str()).is_some())
    }

    /// Returns whether an architecture declares the nearest name, and lists the word as another
    /// name for something else. In PSA, for example, `drop` does not stand for `egress_drop`.
    pub(super) fn has_better_name(&self, word: &str, nearest: &str) -> bool {
        let is_declared = |(found, annotations): (&Name, &Annotations)| {
            found.text == *nearest && usage(annotations).is_some()
        };
        self.callable().any(|(_, annotations)| lists(annotations, word)) && self.callable().any(is_declared)
    }

    /// Adds advice to the message if an architecture declares something else for a function name
    /// that is not in scope.
    pub(super) fn with_declared_advice(
        &self,
        name: &ast::Name,
        diagnostic: Diagnostic,
    ) -> Result<Diagnostic, Diagnostic> {
        let word = name.as_str();
        let example = |annotations| usage(annotations).map(|usage| format!("for example: `{usage}`"));
        if let Some((found, annotations)) = self.callable().find(|(_, annotations)| lists(annotations, word))
        {
            let found = found.text.as_str();
            let diagnostic = diagnostic.suggest(format!("did you mean `{found}`?"), name.span, found);
            return Ok(match example(annotations) {
                Some(example) => diagnostic.note(example),
                None => diagnostic,
            });
        }
        for (_, owner) in self.program.externs.iter() {
            let is_meant =
                |method: &&Signature| method.name.text == *word || lists(&method.annotations, word);
            if let Some(method) = owner.methods.iter().find(is_meant) {
                let statement = format!("`{}` is a method of `{}`", method.name.text, owner.name.text);
                return Ok(diagnostic.note(match usage(&method.annotations) {
                    Some(usage) => format!("{statement}: `{usage}`"),
                    None => statement,
                }));
            }
        }
        let mut fields = self.program.records.iter().flat_map(|(_, record)| &record.fields);
        match fields
            .find(|field| lists(&field.annotations, word))
            .and_then(|field| example(&field.annotations))
        {
            Some(example) => Ok(diagnostic.note(example)),
            None => Err(diagnostic),
        }
    }
}
