//! The socket file of `--listen unix:PATH`: bound with its mode, and removed at the end.
//!
//! The directory must belong to the operator: a user who can write to it can put another file in
//! place.

use std::{
    fs::{self, File, Permissions, TryLockError},
    io,
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use socket2::{Domain, SockAddr, Socket, Type};
use tokio::net::{UnixListener, UnixSocket};

use crate::Failure;

use super::{address::SocketMode, bounds::BACKLOG};

/// The file of a bound socket. Dropping it after the listener removes the file.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
}

impl SocketFile {
    /// Binds a socket at the path. A socket there that no process serves is replaced.
    ///
    /// # Errors
    /// [`Failure`] if a server uses the path, if another file is there, or if the system refuses.
    pub(super) fn bind(path: &Path, mode: SocketMode) -> Result<(UnixListener, Self), Failure> {
        let failed = |error: io::Error| {
            Failure::system(format!(
                "cannot listen on {} ({error}): name a short path in a directory that this user may write to",
                path.display()
            ))
        };
        // Two servers that start at once would remove each other's socket.
        let _held = lock_directory_of(path).map_err(|error| match error {
            TryLockError::Error(error) => failed(error),
            TryLockError::WouldBlock => Failure::system(format!(
                "another process is starting or ending at {}: try again",
                path.display()
            )),
        })?;
        remove_stale(path).map_err(|refused| match refused {
            Refused::NotASocket => Failure::configuration(format!(
                "{} exists and is not a socket: remove it, or choose another path with --listen",
                path.display()
            )),
            Refused::InUse => Failure::system(format!(
                "a process listens on {}: end it, or choose another path with --listen",
                path.display()
            )),
            Refused::Unknown(error) => failed(error),
        })?;
        let socket = UnixSocket::new_stream().map_err(failed)?;
        socket.bind(path).map_err(failed)?;
        let file = Self { path: path.to_owned() };
        // Connections are refused until the socket listens, so no user connects before the mode is
        // set.
        fs::set_permissions(path, Permissions::from_mode(mode.0)).map_err(failed)?;
        let listener = socket.listen(BACKLOG).map_err(failed)?;
        Ok((listener, file))
    }
}

impl Drop for SocketFile {
    /// Removes the file, unless another server has put its own in place. A file that stays is
    /// replaced at the next start.
    fn drop(&mut self) {
        if let Ok(_held) = lock_directory_of(&self.path) {
            let _stays = remove_stale(&self.path);
        }
    }
}

/// Locks the directory of a path until the file is closed. Other programs are not concerned.
fn lock_directory_of(path: &Path) -> Result<File, TryLockError> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = File::open(directory.unwrap_or(Path::new("."))).map_err(TryLockError::Error)?;
    directory.try_lock()?;
    Ok(directory)
}

/// The reason why a path cannot be used.
enum Refused {
    NotASocket,
    InUse,
    Unknown(io::Error),
}

/// Removes the socket at this path, if there is one and no process serves it.
fn remove_stale(path: &Path) -> Result<(), Refused> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Refused::Unknown(error)),
    };
    if !found.file_type().is_socket() {
        return Err(Refused::NotASocket);
    }
    match connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(Refused::Unknown)
        }
        // A full backlog has a server behind it.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(Refused::InUse),
        Err(error) => Err(Refused::Unknown(error)),
        Ok(_connected) => Err(Refused::InUse),
    }
}

/// Connects without a wait.
fn connect(path: &Path) -> io::Result<Socket> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use std::os::unix::{fs::MetadataExt as _, net::UnixStream};

    use super::*;

    #[tokio::test]
    async fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let directory = Directory::new("stale");
        let path = directory.0.join("socket");
        let stale = UnixSocket::new_stream().unwrap();
        stale.bind(&path).unwrap();
        drop(stale);
        let (listener, file) = SocketFile::bind(&path, SocketMode(0o640)).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
        assert!(UnixStream::connect(&path).is_ok());
        assert!(matches!(SocketFile::bind(&path, SocketMode(0o600)), Err(Failure::System(_))));
        assert!(UnixStream::connect(&path).is_ok(), "the live socket stays");
        drop(listener);
        drop(file);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_file_that_is_no_socket_stays() {
        let directory = Directory::new("file");
        let path = directory.0.join("socket");
        fs::write(&path, "kept").unwrap();
        assert!(matches!(SocketFile::bind(&path, SocketMode(0o600)), Err(Failure::Configuration(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    }

    #[tokio::test]
    async fn the_socket_of_a_successor_stays() {
        let directory = Directory::new("successor");
        let path = directory.0.join("socket");
        let (listener, old) = SocketFile::bind(&path, SocketMode(0o600)).unwrap();
        drop(listener);
        let (_listener, _new) = SocketFile::bind(&path, SocketMode(0o600)).unwrap();
        drop(old);
        assert!(UnixStream::connect(&path).is_ok());
    }

    #[tokio::test]
    async fn two_starts_at_once_do_not_disturb_each_other() {
        let directory = Directory::new("lock");
        let path = directory.0.join("socket");
        let held = lock_directory_of(&path).unwrap();
        let refused = SocketFile::bind(&path, SocketMode(0o600));
        assert!(matches!(refused, Err(Failure::System(sentence)) if sentence.contains("try again")));
        drop(held);
        assert!(SocketFile::bind(&path, SocketMode(0o600)).is_ok());
    }

    /// A directory of one test.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("saltern-{}-{name}", std::process::id()));
            fs::create_dir(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _stays = fs::remove_dir_all(&self.0);
        }
    }
}
