//! Annotations and documentation of objects.

use weir_ir::{Annotation, AnnotationArg, AnnotationValue};

use crate::proto::config::{
    Documentation, Expression, KeyValuePair, KeyValuePairList, StructuredAnnotation, expression,
    structured_annotation,
};

/// Annotations as text, and structured annotations, without those in `own`.
pub(super) fn noted(annotations: &[Annotation], own: &[&str]) -> (Vec<String>, Vec<StructuredAnnotation>) {
    let mut plain = Vec::new();
    let mut structured = Vec::new();
    for annotation in annotations.iter().filter(|annotation| !own.contains(&annotation.name.as_str())) {
        if annotation.args.iter().any(|arg| arg.key.is_some()) {
            structured.push(StructuredAnnotation {
                name: annotation.name.clone(),
                body: Some(structured_annotation::Body::KvPairList(KeyValuePairList {
                    kv_pairs: annotation.args.iter().map(pair).collect(),
                })),
                source_location: None,
            });
        } else {
            plain.push(text(annotation));
        }
    }
    (plain, structured)
}

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

/// As in the program: `@name`, `@name(1 , "text")`.
fn text(annotation: &Annotation) -> String {
    if annotation.args.is_empty() {
        return format!("@{}", annotation.name);
    }
    let value = |arg: &AnnotationArg| match &arg.value {
        AnnotationValue::Text(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        AnnotationValue::Int(number) => number.to_string(),
        AnnotationValue::Bool(value) => value.to_string(),
    };
    let args: Vec<String> = annotation.args.iter().map(value).collect();
    format!("@{}({})", annotation.name, args.join(" , "))
}

/// From `@brief` and `@description`.
pub(super) fn documentation(brief: Option<&str>, description: Option<&str>) -> Option<Documentation> {
    if brief.is_none() && description.is_none() {
        return None;
    }
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    Some(Documentation { brief: text(brief), description: text(description) })
}
