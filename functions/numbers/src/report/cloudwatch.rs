//! Asks CloudWatch, page by page.

use std::{error::Error, time::Duration};

use aws_sdk_cloudwatch::{
    Client,
    error::{DisplayErrorContext, ProvideErrorMetadata, SdkError},
    primitives::DateTime,
    types::{MetricDataQuery, MetricDataResult, ScanBy, StatusCode},
};

use super::{figures::Figures, window::Window};
use crate::aws;
use saltern_program::Failure;

/// All that CloudWatch has to answer.
pub(crate) async fn ask(
    region: Option<String>,
    window: Window,
    questions: Vec<MetricDataQuery>,
) -> Result<Figures, Failure> {
    let client = Client::new(&aws::configuration(region, WITHIN).await?);
    let mut figures = Figures::default();
    let mut page = None;
    for _ in 0..MOST_PAGES {
        let call = client
            .get_metric_data()
            .set_metric_data_queries(Some(questions.clone()))
            .start_time(DateTime::from_secs(window.from))
            .end_time(DateTime::from_secs(window.to))
            .scan_by(ScanBy::TimestampAscending)
            .set_next_token(page);
        let answer = call.send().await.map_err(|error| failure(&error))?;
        for message in answer.messages() {
            figures.note(message.value().unwrap_or_default().to_owned());
        }
        answer.metric_data_results().iter().for_each(|result| take(&mut figures, result));
        match answer.next_token {
            Some(next) if !next.is_empty() => page = Some(next),
            _ => return Ok(figures),
        }
    }
    Err(Failure::system(format!("CloudWatch answered more than {MOST_PAGES} pages. Ask for a shorter time")))
}

fn take(figures: &mut Figures, result: &MetricDataResult) {
    let (id, label) = (result.id().unwrap_or_default(), result.label().unwrap_or_default());
    let times = result.timestamps().iter().map(DateTime::secs);
    figures.add(id, label, times.zip(result.values().iter().copied()));
    match result.status_code() {
        Some(StatusCode::Forbidden) => figures.note(format!("These credentials may not read {id}.")),
        Some(StatusCode::InternalError) => {
            figures.note(format!(
                "CloudWatch had an internal error at {id}: what is shown of it may be incomplete."
            ));
        }
        // Partial data are followed by the rest, on the next page.
        _ => {}
    }
    for message in result.messages() {
        figures.note(format!("{id}: {}", message.value().unwrap_or_default()));
    }
}

/// What went wrong, and what to do about it.
fn failure<E: ProvideErrorMetadata + Error + 'static, R: std::fmt::Debug>(error: &SdkError<E, R>) -> Failure {
    match error {
        SdkError::TimeoutError(_) => Failure::system(format!(
            "CloudWatch did not answer within {} s. Try again, or ask for a shorter time",
            WITHIN.as_secs()
        )),
        SdkError::DispatchFailure(_) => Failure::system(format!(
            "CloudWatch cannot be reached: {}. Check the region, the network and HTTPS_PROXY",
            DisplayErrorContext(error)
        )),
        SdkError::ServiceError(_) => {
            refused(error.code().unwrap_or("no code"), error.message().unwrap_or_default())
        }
        _ => Failure::system(format!(
            "CloudWatch answered what the SDK does not understand: {}",
            DisplayErrorContext(error)
        )),
    }
}

fn refused(code: &str, message: &str) -> Failure {
    if let Some(failure) = aws::refused_credentials(code) {
        return failure;
    }
    // In CloudWatch's protocols the same thing has names with and without an ending.
    match code.trim_end_matches("Exception") {
        "AccessDenied" | "AuthorizationError" | "OptInRequired" => Failure::configuration(
            "These credentials may not read metrics. Allow them cloudwatch:GetMetricData",
        ),
        "Throttling"
        | "TooManyRequests"
        | "RequestLimitExceeded"
        | "LimitExceeded"
        | "ThrottledException" => Failure::system(
            "CloudWatch takes no more requests now: an account has 50 a second. Try again in a minute",
        ),
        "InternalService" | "InternalServiceFault" | "InternalFailure" | "ServiceUnavailable" => {
            Failure::system("CloudWatch is not well. Try again in a minute")
        }
        _ => Failure::system(format!("CloudWatch refused, with {code}: {message}")),
    }
}

/// For one page, its repetitions included.
const WITHIN: Duration = Duration::from_mins(1);

/// 100,800 points each: far more than the questions can have answers.
const MOST_PAGES: usize = 50;
