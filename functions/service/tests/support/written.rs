//! Records everything that is logged, at every level.

use std::{
    io,
    sync::{Arc, Mutex},
};

/// All text that was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    /// Records every log line and every panic of this process. It can be called once.
    pub(crate) fn of_process() -> Self {
        let written = Self::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(move || writer.clone());
        tracing::subscriber::set_global_default(subscriber.finish()).unwrap();
        saltern_service::install_panic_hook("saltern");
        written
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    pub(crate) fn add(&self, text: impl Into<Vec<u8>>) {
        self.0.lock().unwrap().extend(text.into());
    }
}

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
