//! `GET /series`: the series while the door is open.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;

use super::Door;

pub(super) async fn answer(door: Arc<Door>, request: Request<Incoming>) -> Response<Full<Bytes>> {
    if (request.method(), request.uri().path()) != (&Method::GET, "/series") {
        return status(StatusCode::NOT_FOUND);
    }
    let Ok(text) = serde_json::to_vec(&door.series()) else {
        return status(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let mut response = Response::new(Full::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}
