//! Reads metrics from CloudWatch, page by page.

use std::time::Duration;

use aws_sdk_cloudwatch::{
    Client,
    primitives::DateTime,
    types::{MetricDataQuery, MetricDataResult, StatusCode},
};

use super::{figures::Figures, window::Window};
use crate::aws;
use saltern_server::Failure;

/// Reads the data of all questions.
pub(crate) async fn read(
    region: Option<String>,
    window: Window,
    questions: Vec<MetricDataQuery>,
) -> Result<Figures, Failure> {
    let client = Client::new(&aws::configuration(region, WITHIN).await?);
    let mut figures = Figures::default();
    let mut pages = client
        .get_metric_data()
        .set_metric_data_queries(Some(questions))
        .start_time(DateTime::from_secs(window.from))
        .end_time(DateTime::from_secs(window.to))
        .into_paginator()
        .send();
    while let Some(page) = pages.next().await {
        let page = page.map_err(|error| aws::failure(&error, "CloudWatch", WITHIN, "time"))?;
        for message in page.messages() {
            figures.note(message.value().unwrap_or_default().to_owned());
        }
        page.metric_data_results().iter().for_each(|result| take(&mut figures, result));
    }
    Ok(figures)
}

fn take(figures: &mut Figures, result: &MetricDataResult) {
    let (id, label) = (result.id().unwrap_or_default(), result.label().unwrap_or_default());
    let times = result.timestamps().iter().map(DateTime::secs);
    figures.add(id, label, times.zip(result.values().iter().copied()));
    match result.status_code() {
        Some(StatusCode::Forbidden) => figures.note(format!("These credentials may not read {id}.")),
        Some(StatusCode::InternalError) => {
            figures.note(format!("CloudWatch had an internal error at {id}: its figures can be incomplete."));
        }
        // The next page has the rest of partial data.
        _ => {}
    }
    for message in result.messages() {
        figures.note(format!("{id}: {}", message.value().unwrap_or_default()));
    }
}

/// The time for one page, retries included.
const WITHIN: Duration = Duration::from_mins(1);
