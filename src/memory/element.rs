//! Element types.

use std::ffi::CStr;

use crate::error::{Result, bail, error};

/// Types of elements, with the numbers of PJRT's `PJRT_Buffer_Type`.
///
/// Types of less than one byte (S2, U2, S4, U4, F4E2M1FN) are not among them:
/// on the device they are packed, so their elements have no addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ElementType {
    /// A boolean in one byte: 0 or 1.
    Pred = 1,
    /// A signed integer of 8 bits.
    S8 = 2,
    /// A signed integer of 16 bits.
    S16 = 3,
    /// A signed integer of 32 bits.
    S32 = 4,
    /// A signed integer of 64 bits.
    S64 = 5,
    /// An unsigned integer of 8 bits.
    U8 = 6,
    /// An unsigned integer of 16 bits.
    U16 = 7,
    /// An unsigned integer of 32 bits.
    U32 = 8,
    /// An unsigned integer of 64 bits.
    U64 = 9,
    /// IEEE 754 binary16.
    F16 = 10,
    /// IEEE 754 binary32.
    F32 = 11,
    /// IEEE 754 binary64.
    F64 = 12,
    /// The upper half of a binary32 ("bfloat16").
    Bf16 = 13,
    /// Two F32, the real part first.
    C64 = 14,
    /// Two F64, the real part first.
    C128 = 15,
    /// 8 bits: 5 of exponent, 2 of mantissa.
    F8e5m2 = 16,
    /// 8 bits: 4 of exponent, 3 of mantissa, finite.
    F8e4m3fn = 17,
    /// 8 bits: 4 of exponent, 3 of mantissa, finite, bias 11, one zero.
    F8e4m3b11fnuz = 18,
    /// 8 bits: 5 of exponent, 2 of mantissa, finite, one zero.
    F8e5m2fnuz = 19,
    /// 8 bits: 4 of exponent, 3 of mantissa, finite, one zero.
    F8e4m3fnuz = 20,
    /// 8 bits: 4 of exponent, 3 of mantissa.
    F8e4m3 = 26,
    /// 8 bits: 3 of exponent, 4 of mantissa.
    F8e3m4 = 27,
    /// 8 bits of exponent, a scale.
    F8e8m0fnu = 28,
}

use ElementType::*;

impl ElementType {
    /// All of them.
    pub const ALL: [ElementType; 23] = [
        Pred,
        S8,
        S16,
        S32,
        S64,
        U8,
        U16,
        U32,
        U64,
        F16,
        F32,
        F64,
        Bf16,
        C64,
        C128,
        F8e5m2,
        F8e4m3fn,
        F8e4m3b11fnuz,
        F8e5m2fnuz,
        F8e4m3fnuz,
        F8e4m3,
        F8e3m4,
        F8e8m0fnu,
    ];

    /// The element type of that number.
    pub fn from_raw(number: i32) -> Result<ElementType> {
        if let Some(element) = ElementType::ALL.into_iter().find(|e| *e as i32 == number) {
            return Ok(element);
        }
        let packed = match number {
            21 => "S4",
            22 => "U4",
            24 => "S2",
            25 => "U2",
            29 => "F4E2M1FN",
            _ => bail!(
                InvalidArgument,
                "{number} is no element type; expected is one of PJRTMEM_TYPE_PRED (1) to \
                 PJRTMEM_TYPE_F8E8M0FNU (28)"
            ),
        };
        bail!(
            InvalidArgument,
            "the element type {packed} ({number}) has less than one byte, and devices pack such \
             elements; expected is a type of whole bytes"
        )
    }

    /// The number of bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Pred | S8 | U8 | F8e5m2 | F8e4m3fn | F8e4m3b11fnuz | F8e5m2fnuz | F8e4m3fnuz
            | F8e4m3 | F8e3m4 | F8e8m0fnu => 1,
            S16 | U16 | F16 | Bf16 => 2,
            S32 | U32 | F32 => 4,
            S64 | U64 | F64 | C64 => 8,
            C128 => 16,
        }
    }

    /// The name as in PJRT.
    pub fn name(self) -> &'static CStr {
        match self {
            Pred => c"PRED",
            S8 => c"S8",
            S16 => c"S16",
            S32 => c"S32",
            S64 => c"S64",
            U8 => c"U8",
            U16 => c"U16",
            U32 => c"U32",
            U64 => c"U64",
            F16 => c"F16",
            F32 => c"F32",
            F64 => c"F64",
            Bf16 => c"BF16",
            C64 => c"C64",
            C128 => c"C128",
            F8e5m2 => c"F8E5M2",
            F8e4m3fn => c"F8E4M3FN",
            F8e4m3b11fnuz => c"F8E4M3B11FNUZ",
            F8e5m2fnuz => c"F8E5M2FNUZ",
            F8e4m3fnuz => c"F8E4M3FNUZ",
            F8e4m3 => c"F8E4M3",
            F8e3m4 => c"F8E3M4",
            F8e8m0fnu => c"F8E8M0FNU",
        }
    }

    /// The bytes of `count` elements, which PJRT counts in `int64_t`.
    pub fn bytes(self, count: usize) -> Result<usize> {
        count
            .checked_mul(self.size())
            .filter(|bytes| i64::try_from(*bytes).is_ok())
            .ok_or_else(|| {
                error!(
                    OutOfRange,
                    "{count} elements of {} bytes are more than the {} bytes that PJRT can count",
                    self.size(),
                    i64::MAX
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn types_come_back_from_their_numbers() {
        for element in ElementType::ALL {
            assert_eq!(ElementType::from_raw(element as i32).unwrap(), element);
        }
    }

    #[test]
    fn other_numbers_are_refused() {
        for number in [i32::MIN, -1, 0, 21, 22, 23, 24, 25, 29, 30, i32::MAX] {
            let error = ElementType::from_raw(number).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{number}");
        }
    }

    #[test]
    fn bytes_that_do_not_fit_are_refused() {
        assert_eq!(F64.bytes(3).unwrap(), 24);
        assert_eq!(U8.bytes(i64::MAX as usize).unwrap(), i64::MAX as usize);
        for (element, count) in
            [(U8, i64::MAX as usize + 1), (F64, usize::MAX), (C128, usize::MAX / 16 + 1)]
        {
            assert_eq!(element.bytes(count).unwrap_err().code(), Code::OutOfRange);
        }
    }
}
