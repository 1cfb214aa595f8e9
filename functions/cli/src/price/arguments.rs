use clap::Args;

use crate::price::Attack;

/// The attacker's price of an hour of the device.
#[derive(Args, Clone, Copy, Debug)]
pub struct PriceArguments {
    #[arg(
        long,
        env = "SALTERN_ATTACKER_USD_PER_HOUR",
        value_name = "USD",
        value_parser = usd,
        help = about()
    )]
    attacker_usd_per_hour: Option<f64>,
}

impl PriceArguments {
    /// Returns the price of an hour in US dollars.
    pub fn usd_per_hour(&self) -> f64 {
        self.attacker_usd_per_hour.unwrap_or(Attack::published().device_hour().usd)
    }
}

/// Takes the default from `attack.json`.
fn about() -> String {
    let hour = Attack::published().device_hour();
    format!("Price of an hour of the attacker's {} in US dollars [default: {:.2}]", hour.device, hour.usd)
}

fn usd(argument: &str) -> Result<f64, String> {
    let usd: Option<f64> = argument.parse().ok();
    let is_price = |usd: &f64| usd.is_finite() && *usd > 0.0;
    usd.filter(is_price).ok_or_else(|| "give a number above 0, such as 0.30".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_a_number_above_zero() {
        assert_eq!(usd("0.25"), Ok(0.25));
        for wrong in ["", "0", "-1", "NaN", "inf", "0.30 USD"] {
            assert!(usd(wrong).is_err(), "{wrong}");
        }
    }
}
