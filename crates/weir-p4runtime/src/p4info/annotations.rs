//! Converts the annotations and the documentation of objects.

use weir_ir::{Annotation, AnnotationArg, AnnotationForm, AnnotationValue, Program};
use weir_switch::p4info::{P4Info as Facts, P4InfoError};

use crate::proto::config::{
    Documentation, Expression, ExpressionList, KeyValuePair, KeyValuePairList, StructuredAnnotation,
    expression, structured_annotation,
};

/// Converts unstructured annotations to text and structured annotations to messages. Leaves out
/// annotations whose names are in `own`.
pub(super) fn annotation_messages(
    annotations: &[Annotation],
    own: &[&str],
) -> (Vec<String>, Vec<StructuredAnnotation>) {
    let mut plain = Vec::new();
    let mut structured = Vec::new();
    for annotation in annotations.iter().filter(|annotation| !own.contains(&annotation.name.as_str())) {
        match &annotation.form {
            AnnotationForm::Bare => plain.push(format!("@{}", annotation.name)),
            AnnotationForm::Unstructured(body) => plain.push(format!("@{}({body})", annotation.name)),
            AnnotationForm::Structured => structured.push(StructuredAnnotation {
                name: annotation.name.clone(),
                body: body(&annotation.args),
                source_location: None,
            }),
        }
    }
    (plain, structured)
}

fn body(args: &[AnnotationArg]) -> Option<structured_annotation::Body> {
    if args.is_empty() {
        return None;
    }
    Some(if args.iter().all(|arg| arg.key.is_some()) {
        structured_annotation::Body::KvPairList(KeyValuePairList {
            kv_pairs: args.iter().map(pair).collect(),
        })
    } else {
        let expressions = args.iter().map(|arg| value(&arg.value)).collect();
        structured_annotation::Body::ExpressionList(ExpressionList { expressions })
    })
}

/// Converts an argument with its key; without a key, the key is empty.
fn pair(arg: &AnnotationArg) -> KeyValuePair {
    KeyValuePair { key: arg.key.clone().unwrap_or_default(), value: Some(value(&arg.value)) }
}

fn value(value: &AnnotationValue) -> Expression {
    let value = match value {
        AnnotationValue::Text(text) => expression::Value::StringValue(text.clone()),
        AnnotationValue::Int(number) => match i64::try_from(number) {
            Ok(number) => expression::Value::Int64Value(number),
            Err(_) => expression::Value::StringValue(number.to_string()),
        },
        AnnotationValue::Bool(value) => expression::Value::BoolValue(*value),
    };
    Expression { value: Some(value) }
}

/// Finds numbers in structured annotations that do not fit in 64 bits.
pub(super) fn check(program: &Program, facts: &Facts) -> Vec<P4InfoError> {
    let too_large = |annotations: &[Annotation]| {
        let structured =
            annotations.iter().filter(|annotation| annotation.form == AnnotationForm::Structured);
        let large = structured.filter(|annotation| {
            annotation.args.iter().any(|arg| match &arg.value {
                AnnotationValue::Int(number) => i64::try_from(number).is_err(),
                _ => false,
            })
        });
        large.map(|annotation| annotation.name.clone()).collect::<Vec<_>>()
    };
    let mut errors = Vec::new();
    let mut report = |annotations: &[Annotation], loc| {
        for name in too_large(annotations) {
            let problem = format!(
                "a number in `@{name}[…]` does not fit 64 bits, P4Info's maximum; write it as a string"
            );
            errors.push(P4InfoError::new(program, loc, problem));
        }
    };
    for object in &facts.objects {
        report(&object.annotations, object.loc);
        object.parts.iter().for_each(|part| report(&part.annotations, object.loc));
    }
    if let Some(main) = &program.main {
        report(&main.annotations, main.loc);
    }
    errors
}

/// Makes the documentation from `@brief` and `@description`.
pub(super) fn documentation(brief: Option<&str>, description: Option<&str>) -> Option<Documentation> {
    if brief.is_none() && description.is_none() {
        return None;
    }
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    Some(Documentation { brief: text(brief), description: text(description) })
}
