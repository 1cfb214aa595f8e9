//! Hashes whose cost, salt or output gives no protection are refused until a setting allows them.

use saltern_vectors::{Topic, Vector as _, Verify};

use crate::{
    figure::{Attack, Field, Figure, Found},
    honest::ask,
    http1::{deadline_ms, described, verify},
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
    let floors = Topic::Floors.load();
    let (mut not_refused, mut not_verified) = (0, 0);
    for vector in floors.test_groups.iter().flat_map(Verify::of) {
        let is_below = vector.flags.iter().any(|flag| flag == "BelowFloor");
        let (right, others) =
            if is_below { ("422 unsupported_hash", &mut not_refused) } else { ("200", &mut not_verified) };
        let password = String::from_utf8_lossy(&vector.password);
        let request = verify(&deadline_ms(DEADLINE_MS), &password, &*vector.hash);
        let answer = described(&ask(&server.door, &request).await?);
        if answer != right {
            eprintln!("  {answer}: {}", vector.hash);
            *others += 1;
        }
    }
    Ok(vec![
        Figure::never("hashes below a floor that are not refused", not_refused),
        Figure::never("hashes at a floor that are not verified", not_verified),
    ])
}

/// Long enough for each hash on a busy machine.
const DEADLINE_MS: u32 = 60_000;
