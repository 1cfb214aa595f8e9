/// Something real software prints that its scheme's reference software does not, and that is accepted all the same.
#[derive(Clone, Copy, Debug)]
pub struct Deviation {
    /// Scheme as it stands between the first two dollar signs.
    pub scheme: &'static str,
    /// What differs from the canonical form.
    pub what: &'static str,
    /// The software that prints it.
    pub printed_by: &'static str,
    /// One such string. Its password is `saltern`.
    pub example: &'static str,
}

/// Every accepted deviation from a canonical form. A spelling that is neither canonical nor listed is refused.
pub const DEVIATIONS: &[Deviation] = &[
    Deviation {
        scheme: "5, 6",
        what: "`rounds=` below 1,000, which means 1,000; 0 too",
        printed_by: "whatever writes the setting down itself: glibc reads it so, and prints `rounds=1000`; libxcrypt refuses it",
        example: concat!(
            "$6$rounds=10$saltsalt$",
            "cOzK6C5JhyvlAG7mF0FZfLbBuFTCvzXnaA29.hcTguffSQcbAef0SvColLGwEdyA1SK/gP0iwFa1hvjGj9dKb."
        ),
    },
    Deviation {
        scheme: "2a, 2b, 2y",
        what: "the last salt character has some of its four padding bits set; they are not part of the salt",
        printed_by: "passlib 1.5.2 and older, and whatever draws 22 random characters for a salt",
        example: "$2a$04$abcdefghijklmnopqrstu9bfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S",
    },
    Deviation {
        scheme: "argon2d, argon2i",
        what: "no `v=` field, which means version 16 (0x10)",
        printed_by: "phc-winner-argon2 before 20160406",
        example: "$argon2i$m=64,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$BDucgFgVgdMSeWOMxsorTjXMPIgkpcz08DWgWaXovQg",
    },
    Deviation {
        scheme: "argon2d, argon2i, argon2id",
        what: "the costs stand in the order m, p, t",
        printed_by: "the Node package argon2 since 0.45.0",
        example: concat!(
            "$argon2id$v=19$m=64,p=2,t=2$MDEyMzQ1Njc4OWFiY2RlZg",
            "$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI"
        ),
    },
];
