/// A spelling that some software prints and the reference software of the scheme does not. It is
/// accepted.
#[derive(Clone, Copy, Debug)]
pub struct Deviation {
    /// The ids between the first two dollar signs, or in braces.
    pub scheme: &'static str,
    /// The difference from the canonical form.
    pub what: &'static str,
    /// The software that prints it.
    pub printed_by: &'static str,
    /// An example. Its password is `saltern`.
    pub example: &'static str,
}

/// Every accepted deviation from a canonical form. Every other deviation is refused.
pub const DEVIATIONS: &[Deviation] = &[
    Deviation {
        scheme: "5, 6",
        what: "`rounds=` below 1,000, which means 1,000; 0 too",
        printed_by: "programs that write the setting themselves. glibc reads it so, and prints `rounds=1000`; libxcrypt refuses it",
        example: concat!(
            "$6$rounds=10$saltsalt$",
            "cOzK6C5JhyvlAG7mF0FZfLbBuFTCvzXnaA29.hcTguffSQcbAef0SvColLGwEdyA1SK/gP0iwFa1hvjGj9dKb."
        ),
    },
    Deviation {
        scheme: "2a, 2b, 2y",
        what: "the last salt character has some of its four padding bits set; they are not part of the salt",
        printed_by: "passlib 1.5.2 and older, and programs that draw 22 random characters as a salt",
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
        what: "the order of the costs is m, p, t",
        printed_by: "the Node package argon2 since 0.45.0",
        example: concat!(
            "$argon2id$v=19$m=64,p=2,t=2$MDEyMzQ1Njc4OWFiY2RlZg",
            "$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI"
        ),
    },
    Deviation {
        scheme: "argon2id",
        what: "the order of the costs is t, m, p",
        printed_by: "AdonisJS (@adonisjs/hash 9.0), the Node package @phc/argon2",
        example: concat!(
            "$argon2id$v=19$t=2,m=64,p=2$MDEyMzQ1Njc4OWFiY2RlZg",
            "$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI"
        ),
    },
    Deviation {
        scheme: "scrypt",
        what: "`n=` and N itself instead of `ln=` and its logarithm",
        printed_by: "AdonisJS (@adonisjs/hash)",
        example: concat!(
            "$scrypt$n=16,r=8,p=2$MDEyMzQ1Njc4OWFiY2RlZg",
            "$ycCEX+oVVUUFeb2Jon3f4yAwrWdM1eaSrLIYleM4rOH/Ts3bqqAd10kMN+fqeGab4DSSVo0dZkAP6Ds0Q/7xeg"
        ),
    },
    Deviation {
        scheme: "pbkdf2-sha1, pbkdf2-sha256, pbkdf2-sha512",
        what: "no `l=` field, which means one block of the hash function; SHA-1 is `pbkdf2-sha1`",
        printed_by: "the Node package @phc/pbkdf2, which upash recommends",
        example: "$pbkdf2-sha256$i=10$MDEyMzQ1Njc4OWFiY2RlZg$+ND0USOey6WGwJUJWUk9Uwm6jtUjrA2trrwnayeYCwE",
    },
    Deviation {
        scheme: "MD5, SHA, SHA256, SHA384, SHA512, SMD5, SSHA, SSHA256, SSHA384, SSHA512",
        what: "the label in lower case",
        printed_by: "the examples of RFC 2307; Spring Security's LdapShaPasswordEncoder with `setForceLowerCasePrefix`",
        example: "{sha}3EvVateGVQQa1aJk+74E1imN5KA=",
    },
];
