//! The one error type: a code that programs decide by and a message that says
//! what was wrong and what would be right.

use std::ffi::CStr;
use std::fmt;

/// Codes of errors. A number is never given another meaning.
///
/// 1 to 16 are absl's status codes, which PJRT plugins use as well; those from
/// 100 on are this library's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// The operation was cancelled.
    Cancelled = 1,
    /// The plugin gave no better code; read the message.
    Unknown = 2,
    /// An argument is wrong, whatever the state of the library.
    InvalidArgument = 3,
    /// A deadline passed.
    DeadlineExceeded = 4,
    /// Something that was named does not exist.
    NotFound = 5,
    /// Something that was to be made exists already.
    AlreadyExists = 6,
    /// The operation is not permitted.
    PermissionDenied = 7,
    /// There is not enough memory, or another resource ran out.
    ResourceExhausted = 8,
    /// The call is right, but not in the present state.
    FailedPrecondition = 9,
    /// The operation was aborted.
    Aborted = 10,
    /// An offset or a length reaches past the end.
    OutOfRange = 11,
    /// The plugin cannot do it.
    Unimplemented = 12,
    /// A defect of the plugin or of this library.
    Internal = 13,
    /// The service is not there at present.
    Unavailable = 14,
    /// Data was lost or damaged.
    DataLoss = 15,
    /// The caller is not known.
    Unauthenticated = 16,

    /// There is no plugin file at that path or under that name.
    PluginNotFound = 100,
    /// The file is there, but it is not a PJRT plugin.
    NotAPlugin = 101,
    /// The plugin speaks another major version of the PJRT API.
    VersionMismatch = 102,
    /// The plugin's table of functions lacks one that is needed.
    TableTooShort = 103,
    /// An option for the plugin's client was refused.
    OptionRefused = 104,

    /// The handle was never given out, or is of another kind.
    InvalidHandle = 110,
    /// What the handle stood for has been freed.
    StaleHandle = 111,

    /// The process is a forked child of the one that uses the library.
    Forked = 120,
    /// A defect of this library: a panic, caught at its boundary.
    Panic = 121,
}

impl Code {
    const ALL: [Code; 25] = [
        Code::Cancelled,
        Code::Unknown,
        Code::InvalidArgument,
        Code::DeadlineExceeded,
        Code::NotFound,
        Code::AlreadyExists,
        Code::PermissionDenied,
        Code::ResourceExhausted,
        Code::FailedPrecondition,
        Code::Aborted,
        Code::OutOfRange,
        Code::Unimplemented,
        Code::Internal,
        Code::Unavailable,
        Code::DataLoss,
        Code::Unauthenticated,
        Code::PluginNotFound,
        Code::NotAPlugin,
        Code::VersionMismatch,
        Code::TableTooShort,
        Code::OptionRefused,
        Code::InvalidHandle,
        Code::StaleHandle,
        Code::Forked,
        Code::Panic,
    ];

    /// The code of that number, if there is one.
    pub fn from_raw(number: i32) -> Option<Code> {
        Code::ALL.into_iter().find(|code| *code as i32 == number)
    }

    /// The name in capitals, as in the C header.
    pub fn name(self) -> &'static CStr {
        match self {
            Code::Cancelled => c"CANCELLED",
            Code::Unknown => c"UNKNOWN",
            Code::InvalidArgument => c"INVALID_ARGUMENT",
            Code::DeadlineExceeded => c"DEADLINE_EXCEEDED",
            Code::NotFound => c"NOT_FOUND",
            Code::AlreadyExists => c"ALREADY_EXISTS",
            Code::PermissionDenied => c"PERMISSION_DENIED",
            Code::ResourceExhausted => c"RESOURCE_EXHAUSTED",
            Code::FailedPrecondition => c"FAILED_PRECONDITION",
            Code::Aborted => c"ABORTED",
            Code::OutOfRange => c"OUT_OF_RANGE",
            Code::Unimplemented => c"UNIMPLEMENTED",
            Code::Internal => c"INTERNAL",
            Code::Unavailable => c"UNAVAILABLE",
            Code::DataLoss => c"DATA_LOSS",
            Code::Unauthenticated => c"UNAUTHENTICATED",
            Code::PluginNotFound => c"PLUGIN_NOT_FOUND",
            Code::NotAPlugin => c"NOT_A_PLUGIN",
            Code::VersionMismatch => c"VERSION_MISMATCH",
            Code::TableTooShort => c"TABLE_TOO_SHORT",
            Code::OptionRefused => c"OPTION_REFUSED",
            Code::InvalidHandle => c"INVALID_HANDLE",
            Code::StaleHandle => c"STALE_HANDLE",
            Code::Forked => c"FORKED",
            Code::Panic => c"PANIC",
        }
    }
}

/// What went wrong. Displays as the outermost context first, the cause last.
#[derive(Debug)]
pub struct Error {
    code: Code,
    chain: anyhow::Error,
}

/// A result with this library's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of that code with a message for a person.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let chain = anyhow::Error::msg(message.into());
        Error { code, chain }
    }

    /// The code that programs decide by.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The same error, saying as well what was being done.
    pub fn context(self, doing: impl Into<String>) -> Self {
        let chain = self.chain.context(doing.into());
        Error { chain, ..self }
    }

    /// The same error under another code, where the caller knows better.
    pub fn with_code(self, code: Code) -> Self {
        Error { code, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.chain)
    }
}

/// An [`Error`] with a formatted message: `error!(OutOfRange, "… {n} …")`.
macro_rules! error {
    ($code:ident, $($message:tt)*) => {
        $crate::error::Error::new($crate::error::Code::$code, format!($($message)*))
    };
}

/// Returns [`error!`] from the function around it.
macro_rules! bail {
    ($($error:tt)*) => {
        return Err($crate::error::error!($($error)*))
    };
}

pub(crate) use {bail, error};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back_from_their_numbers() {
        for code in Code::ALL {
            assert_eq!(Code::from_raw(code as i32), Some(code));
        }
        assert_eq!(Code::from_raw(0), None);
        assert_eq!(Code::from_raw(17), None);
    }

    #[test]
    fn context_comes_before_the_cause() {
        let error = error!(OutOfRange, "offset {}", 9).context("reading");
        assert_eq!(error.to_string(), "reading: offset 9");
        assert_eq!(error.code(), Code::OutOfRange);
    }
}
