//! Options for a plugin's client, as PJRT's named values.

use std::ffi::{CStr, CString};

use super::args;
use super::sys::{PJRT_NamedValue, PJRT_NamedValue_Value, named_value_type};

/// The value of one option.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text.
    String(CString),
    /// A whole number.
    Integer(i64),
    /// A number; PJRT has them in single precision.
    Float(f32),
    /// Yes or no.
    Boolean(bool),
    /// Whole numbers.
    Integers(Vec<i64>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            // Bits, so that equality is one also for NaN.
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Integers(a), Value::Integers(b)) => a == b,
            _ => false,
        }
    }
}

/// Options by name, each once, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    named: Vec<(CString, Value)>,
}

impl Options {
    /// Sets an option; a second value for a name takes the place of the first.
    pub fn set(&mut self, name: &CStr, value: Value) {
        match self.named.binary_search_by(|(other, _)| other.as_c_str().cmp(name)) {
            Ok(place) => self.named[place].1 = value,
            Err(place) => self.named.insert(place, (name.to_owned(), value)),
        }
    }

    /// The value of an option, if it is set.
    pub fn get(&self, name: &CStr) -> Option<&Value> {
        self.named.iter().find(|(other, _)| other.as_c_str() == name).map(|(_, value)| value)
    }

    /// The options as a person would write them, for messages.
    pub fn describe(&self) -> String {
        if self.named.is_empty() {
            return "no options".to_owned();
        }
        let describe = |(name, value): &(CString, Value)| match value {
            Value::String(text) => format!("{}={text:?}", name.to_string_lossy()),
            Value::Integer(number) => format!("{}={number}", name.to_string_lossy()),
            Value::Float(number) => format!("{}={number:?}", name.to_string_lossy()),
            Value::Boolean(yes) => format!("{}={yes}", name.to_string_lossy()),
            Value::Integers(numbers) => format!("{}={numbers:?}", name.to_string_lossy()),
        };
        self.named.iter().map(describe).collect::<Vec<_>>().join(", ")
    }

    /// The options as the plugin takes them, with pointers into `self`.
    pub(super) fn as_raw(&self) -> Vec<PJRT_NamedValue> {
        self.named.iter().map(|(name, value)| named_value(name, value)).collect()
    }
}

fn named_value(name: &CStr, value: &Value) -> PJRT_NamedValue {
    use PJRT_NamedValue_Value as Raw;
    let mut named = args::new::<PJRT_NamedValue>();
    named.name = name.as_ptr();
    named.name_size = name.count_bytes();
    (named.r#type, named.value, named.value_size) = match value {
        Value::String(text) => (
            named_value_type::STRING,
            Raw { string_value: text.as_ptr() },
            text.as_bytes().len(),
        ),
        Value::Integer(number) => (named_value_type::INT64, Raw { int64_value: *number }, 1),
        Value::Float(number) => (named_value_type::FLOAT, Raw { float_value: *number }, 1),
        Value::Boolean(yes) => (named_value_type::BOOL, Raw { bool_value: *yes }, 1),
        Value::Integers(numbers) => (
            named_value_type::INT64_LIST,
            Raw { int64_array_value: numbers.as_ptr() },
            numbers.len(),
        ),
    };
    named
}
