//! The macro that makes a type and its description from one text.

/// Declares a struct or an enum of a scenario; the documentation of the module `fields` has an example.
///
/// Attributes stand in this order: documentation, `#[serde(…)]` with the default, `#[limits(…)]`, `#[example(…)]`. Rules that begin with `@` are
/// for the macro itself.
macro_rules! declare {
    (
        $(#[doc = $doc:literal])*
        #[derive($($derive:ident),*)]
        $(#[serde($($serde:tt)*)])?
        pub struct $name:ident {
            $(
                $(#[doc = $field_doc:literal])*
                $(#[serde($($field_serde:tt)*)])?
                $(#[limits($limits:expr)])?
                #[example($($example:tt)*)]
                pub $field:ident: $type:ty
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, $($derive,)* serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields $(, $($serde)*)?)]
        pub struct $name {
            $(
                $(#[doc = $field_doc])*
                $(#[serde($($field_serde)*)])?
                pub $field: $type,
            )*
        }

        impl $crate::fields::Declared for $name {
            fn kind() -> $crate::fields::Kind {
                const FIELDS: &[$crate::fields::Field] = &[$(
                    $crate::fields::declare!(
                        @field stringify!($field), $type, [$($field_doc)*] [$($($field_serde)*)?] [$($limits)?] [$($example)*]
                    ),
                )*];
                static TYPE: $crate::fields::Type = $crate::fields::Type {
                    all_optional: !stringify!($($($serde)*)?).is_empty(),
                    ..$crate::fields::Type::new::<$name>(stringify!($name), &[$($doc),*], $crate::fields::Form::Fields(FIELDS))
                };
                $crate::fields::Kind::Named(&TYPE)
            }

            fn check(&self, at: &$crate::fields::At, found: &mut Vec<String>) {
                $(
                    let limits = $crate::fields::declare!(@limits $($limits)?);
                    $crate::fields::Declared::check(&self.$field, &at.field(stringify!($field), limits), found);
                )*
            }
        }
    };
    (
        $(#[doc = $doc:literal])*
        #[derive($($derive:ident),*)]
        pub enum $name:ident {
            $(
                $(#[doc = $choice_doc:literal])*
                // An empty visibility is what lets the attribute be repeated below.
                $(#[default] $default:vis)?
                $choice:ident
                $({
                    $(
                        $(#[doc = $field_doc:literal])*
                        $(#[serde($($field_serde:tt)*)])?
                        $(#[limits($limits:expr)])?
                        #[example($($example:tt)*)]
                        $field:ident: $type:ty
                    ),* $(,)?
                })?
                $((
                    $(#[limits($inner_limits:expr)])?
                    #[example($($inner_example:tt)*)]
                    $inner:ty
                ))?
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, $($derive,)* serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub enum $name {
            $(
                $(#[doc = $choice_doc])*
                $(#[default] $default)?
                $choice
                $({
                    $(
                        $(#[doc = $field_doc])*
                        $(#[serde($($field_serde)*)])?
                        $field: $type,
                    )*
                })?
                $(($inner))?,
            )*
        }

        impl $crate::fields::Declared for $name {
            fn kind() -> $crate::fields::Kind {
                const CHOICES: &[$crate::fields::Choice] = &[$(
                    $crate::fields::Choice {
                        name: stringify!($choice),
                        docs: &[$($choice_doc),*],
                        fields: &[
                            $($(
                                $crate::fields::declare!(
                                    @field stringify!($field), $type, [$($field_doc)*] [$($($field_serde)*)?] [$($limits)?] [$($example)*]
                                ),
                            )*)?
                            $($crate::fields::declare!(@field "", $inner, [] [] [$($inner_limits)?] [$($inner_example)*]),)?
                        ],
                    },
                )*];
                static TYPE: $crate::fields::Type =
                    $crate::fields::Type::new::<$name>(stringify!($name), &[$($doc),*], $crate::fields::Form::Choices(CHOICES));
                $crate::fields::Kind::Named(&TYPE)
            }

            fn check(&self, at: &$crate::fields::At, found: &mut Vec<String>) {
                let _ = (at, &found);
                match self {
                    $(
                        Self::$choice $({ $($field),* })? $(($crate::fields::declare!(@bind inner $inner)))? => {
                            $($(
                                let limits = $crate::fields::declare!(@limits $($limits)?);
                                $crate::fields::Declared::check($field, &at.field(stringify!($field), limits), found);
                            )*)?
                            $(
                                let limits = $crate::fields::declare!(@limits $($inner_limits)?);
                                <$inner as $crate::fields::Declared>::check(inner, &at.choice(stringify!($choice), limits), found);
                            )?
                        }
                    )*
                }
            }
        }
    };
    (@field $name:expr, $type:ty, [$($doc:literal)*] [$($serde:tt)*] [$($limits:expr)?] [$($example:tt)*]) => {
        $crate::fields::Field {
            name: $name,
            docs: &[$($doc),*],
            kind: <$type as $crate::fields::Declared>::kind,
            limits: $crate::fields::declare!(@limits $($limits)?),
            tokens: stringify!($($example)*),
            is_optional: !stringify!($($serde)*).is_empty(),
        }
    };
    (@limits) => {
        $crate::fields::Limits::ANY
    };
    (@limits $limits:expr) => {{
        #[allow(unused_imports, reason = "limits may be a constant of their file")]
        use $crate::fields::limits::*;
        $limits
    }};
    (@bind $inner:ident $type:ty) => {
        $inner
    };
}
pub(crate) use declare;

#[cfg(test)]
mod tests {
    use crate::fields::{At, Declared, find, reread};

    declare! {
        /// A box.
        #[derive(Clone, PartialEq)]
        pub struct Parcel {
            /// How heavy it is. In grams.
            #[limits(above(0.0).or("send a letter instead"))]
            #[example(250.0)]
            pub weight: f64,
            /// Ways to go.
            #[serde(default)]
            #[example([Air])]
            pub ways: Vec<Way>,
        }
    }

    declare! {
        /// How it goes.
        #[derive(Clone, PartialEq, Default)]
        pub enum Way {
            /// By air.
            #[default]
            Air,
            /// By sea, on this many ships.
            Sea(#[limits(at_least(1.0))] #[example(2)] u32),
            /// By road.
            Road {
                /// How far.
                #[limits(finite())]
                #[example(1.5)]
                far: f64,
            },
        }
    }

    #[track_caller]
    fn check(parcel: Parcel, expect: &[&str]) {
        let mut found = Vec::new();
        Declared::check(&parcel, &At::ROOT, &mut found);
        assert_eq!(found, expect);
    }

    #[test]
    fn values_out_of_their_limits_are_told_with_their_path() {
        check(Parcel { weight: 1.0, ways: vec![Way::Air, Way::Sea(1), Way::Road { far: -3.0 }] }, &[]);
        check(
            Parcel { weight: f64::NAN, ways: vec![Way::default(), Way::Sea(0), Way::Road { far: f64::INFINITY }] },
            &[
                "weight is NaN; it must be above 0; send a letter instead",
                "ways[1] is Sea(0); it must be at least 1",
                "ways[2].far is inf; it must be a finite number",
            ],
        );
    }

    #[test]
    fn a_declaration_describes_itself_and_serde_knows_its_defaults() {
        let far = find(Parcel::kind(), "ways.far", None).expect("it is declared");
        assert_eq!((far.meaning().as_str(), far.line().as_str()), ("how far", "far: 1.5"));
        assert_eq!(find(Parcel::kind(), "weight", None).map(|weight| weight.meaning()), Some("how heavy it is".into()));
        assert_eq!(reread::<Parcel>("(weight: 3)"), Some("(weight: 3.0, ways: [])".into()));
        assert_eq!(reread::<Parcel>("(weight: 3, height: 1)"), None, "unknown fields are refused");
    }
}
