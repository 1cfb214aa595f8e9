//! Hashes whose cost, salt or output gives no protection are refused until a setting allows them.

use crate::{
    figure::{Attack, Field, Figure, Found},
    honest::ask,
    http1::verify,
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "weak-costs",
    asks: "stored hashes below every floor, without a permission",
    stated: || vec!["below one a hash is refused unless the operator names its scheme".into()],
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let server = Server::start(&field, &Setup::default()).await?;
    let mut figures = Vec::new();
    for (name, hashes, right) in [
        ("hashes below a floor that are not refused", BELOW, "422 unsupported_hash"),
        ("hashes at a floor that are not verified", AT, "200"),
    ] {
        let mut others = 0;
        for hash in hashes {
            let request = verify("", "p", *hash);
            let answer = ask(&server.door, &request).await?.described();
            if answer != right {
                eprintln!("  {answer}: {hash}");
                others += 1;
            }
        }
        figures.push(Figure::never(name, others));
    }
    Ok(figures)
}

/// Each is below one floor of the shipped document, and well-formed.
const BELOW: &[&str] = &[
    "$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAA",
    "$pbkdf2-sha512$i=1,l=32$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$pbkdf2-sha256$i=100000,l=12$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAA",
    "$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$2b$04$abcdefghijklmnopqrstuuUIVEGk.YVR60MLuRRGE7Ag5sfTN44RK",
    "$6$$18ulwIo9ruUtlTTLfw.MIx7yRFfMVS0gHPjlsCHWv7AsrQabre3ELko.XPvqoYOtuyo/3R.L5AaoEMJBSklW2/",
    "$1$$dw./IUNZ6iMTMiAolemFa0",
];

/// Each is at its floor.
const AT: &[&str] = &[
    "$argon2id$v=19$m=512,t=2,p=2$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAA",
    "$pbkdf2$i=1000,l=16$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAA",
    "$scrypt$ln=13,r=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$2b$05$abcdefghijklmnopqrstuuUIVEGk.YVR60MLuRRGE7Ag5sfTN44RK",
    "$6$rounds=1000$s$18ulwIo9ruUtlTTLfw.MIx7yRFfMVS0gHPjlsCHWv7AsrQabre3ELko.XPvqoYOtuyo/3R.L5AaoEMJBSklW2/",
    "$1$s$dw./IUNZ6iMTMiAolemFa0",
];
