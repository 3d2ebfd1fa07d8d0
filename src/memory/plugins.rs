//! Plugins by path or name, and their clients.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use parking_lot::{Mutex, RwLock};

use super::release;
use super::spaces::{self, Space};
use super::update::Updates;
use crate::error::{Code, Result, bail, error};
use crate::pjrt::{self, Api, Options, RawBuffers, Value, host};

/// Where JAX and TensorFlow look for plugins: `name:path` pairs, with commas.
const NAMES_AND_PATHS: &str = "PJRT_NAMES_AND_LIBRARY_PATHS";

/// A plugin's client: its devices under one set of options.
pub struct Client {
    /// 0, 1, 2 … in the order of loading.
    pub id: u32,
    /// The plugin's side.
    pub pjrt: pjrt::Client,
    /// The file of the plugin.
    pub plugin_path: CString,
    /// The platform's name, such as `cpu`.
    pub platform_name: CString,
    /// The platform's version, in its own words; empty if it tells none.
    pub platform_version: CString,
    /// The ID of the client's first address space; the others follow it.
    pub first_space: u32,
    /// How many address spaces the client has.
    pub space_count: u32,
    options: Options,
    pub(super) raw_buffers: Option<RawBuffers>,
    pub(super) updates: Updates,
}

/// Plugins and clients are never given up, see [`Api`] and [`pjrt::Client`].
static PLUGINS: Mutex<Vec<&'static Api>> = Mutex::new(Vec::new());
static CLIENTS: RwLock<Vec<&'static Client>> = RwLock::new(Vec::new());

/// The client of that ID.
pub fn client(id: u32) -> Result<&'static Client> {
    let clients = CLIENTS.read();
    clients.get(id as usize).copied().ok_or_else(|| {
        error!(
            NotFound,
            "there is no client {id}; {} have been loaded, from 0 on",
            clients.len()
        )
    })
}

/// Loads a plugin, given by path or name, and makes a client with these options;
/// or returns the client that was made of them before.
pub fn load(plugin: &CStr, options: &Options) -> Result<&'static Client> {
    if host::process::is_exiting() {
        bail!(FailedPrecondition, "the process is exiting: no plugin can be loaded any more");
    }
    let path = file(&find(plugin)?)?;
    check_options(options).map_err(|error| error.context(path.display().to_string()))?;
    // Also keeps the IDs of a client's spaces together.
    let mut plugins = PLUGINS.lock();
    let api = match plugins.iter().find(|api| api.path() == path) {
        Some(api) => *api,
        None => {
            let api: &'static Api = Box::leak(Box::new(Api::load(&path)?));
            plugins.push(api);
            host::process::watch(release::on_exit);
            api
        }
    };
    let same = |client: &&&'static Client| {
        client.pjrt.api().path() == path && client.options == *options
    };
    if let Some(client) = CLIENTS.read().iter().find(same) {
        return Ok(client);
    }
    create(api, options)
}

fn create(api: &'static Api, options: &Options) -> Result<&'static Client> {
    let path = api.path();
    let pjrt = pjrt::Client::create(api, options).map_err(|error| {
        let refused = error.code() == Code::InvalidArgument && *options != Options::default();
        let code = if refused { Code::OptionRefused } else { error.code() };
        let made = format!("making a client of {} with {}", path.display(), options.describe());
        error.context(made).with_code(code)
    })?;
    let spaces = spaces::describe(&pjrt)
        .map_err(|error| error.context(format!("asking {} for its devices", path.display())))?;
    let mut clients = CLIENTS.write();
    let client: &'static Client = Box::leak(Box::new(Client {
        id: clients.len() as u32,
        plugin_path: CString::new(path.as_os_str().as_bytes())
            .map_err(|_| error!(InvalidArgument, "a path with a NUL byte"))?,
        platform_name: c_string(pjrt.platform_name()?),
        platform_version: c_string(pjrt.platform_version().unwrap_or_default()),
        first_space: spaces::space_count(),
        space_count: spaces.len() as u32,
        options: options.clone(),
        raw_buffers: RawBuffers::of(api),
        updates: Updates::default(),
        pjrt,
    }));
    clients.push(client);
    Space::register(client, spaces);
    Ok(client)
}

/// `text` as C takes it. A plugin's text has no NUL left in it.
pub(super) fn c_string(text: String) -> CString {
    CString::new(text).unwrap_or_default()
}

/// The path that a plugin is under. With a slash it is a path; else it is a name.
fn find(plugin: &CStr) -> Result<PathBuf> {
    let plugin = OsStr::from_bytes(plugin.to_bytes());
    if plugin.is_empty() {
        bail!(InvalidArgument, "the plugin's name is empty; expected is a path or a name");
    }
    if plugin.as_bytes().contains(&b'/') {
        return Ok(plugin.into());
    }
    let named = std::env::var_os(NAMES_AND_PATHS).unwrap_or_default();
    if let Some(path) = path_of(plugin, &named) {
        return Ok(path);
    }
    let mut cached = cache().join("plugins").join(plugin).into_os_string();
    cached.push(".so");
    let cached = PathBuf::from(cached);
    if cached.is_file() {
        return Ok(cached);
    }
    bail!(
        PluginNotFound,
        "there is no plugin named {0}: neither as {0}:path in {NAMES_AND_PATHS} ({1:?}) nor as \
         the file {2}; a path of a plugin has to contain a slash",
        plugin.display(),
        named,
        cached.display()
    )
}

/// The path that is under a name in `name:path,name:path`.
fn path_of(plugin: &OsStr, named: &OsStr) -> Option<PathBuf> {
    named.as_bytes().split(|byte| *byte == b',').find_map(|pair| {
        let colon = pair.iter().position(|byte| *byte == b':')?;
        let (name, path) = (pair[..colon].trim_ascii(), pair[colon + 1..].trim_ascii());
        (name == plugin.as_bytes()).then(|| PathBuf::from(OsStr::from_bytes(path)))
    })
}

/// The folder of downloaded plugins and of what came with them.
pub fn cache() -> PathBuf {
    let folder = |variable| std::env::var_os(variable).filter(|value| !value.is_empty());
    if let Some(cache) = folder("PJRTMEM_CACHE") {
        return cache.into();
    }
    let caches = folder("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| folder("HOME").map(|home| Path::new(&home).join(".cache")));
    caches.unwrap_or_default().join("pjrtmem")
}

/// The regular file at a path, under its one name without links.
fn file(path: &Path) -> Result<PathBuf> {
    let found = path.canonicalize().map_err(|cause| {
        error!(PluginNotFound, "there is no plugin at {}: {cause}", path.display())
    })?;
    if !found.is_file() {
        bail!(
            NotAPlugin,
            "{} is no file; expected is the path of a PJRT plugin, a shared library",
            path.display()
        );
    }
    Ok(found)
}

/// Refuses values of options that are known to end the process in some plugins.
fn check_options(options: &Options) -> Result<()> {
    /// More devices than any plugin is made for; each costs threads and memory.
    const MOST_DEVICES: i64 = 4096;
    match options.get(c"cpu_device_count") {
        None => Ok(()),
        Some(Value::Integer(count)) if (1..=MOST_DEVICES).contains(count) => Ok(()),
        Some(_) => bail!(
            OptionRefused,
            "the option cpu_device_count has to be an integer from 1 to {MOST_DEVICES}; given \
             are {}",
            options.describe()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_the_convention_of_jax() {
        let named = OsStr::new("cuda:/a/cuda.so, cpu:/b/cpu:1.so,broken,cpu:/c/second.so");
        let path = |name: &str| path_of(OsStr::new(name), named);
        assert_eq!(path("cuda"), Some("/a/cuda.so".into()));
        assert_eq!(path("cpu"), Some("/b/cpu:1.so".into()), "the first, with its colon");
        assert_eq!(path("broken"), None);
        assert_eq!(path(""), None);
    }

    #[test]
    fn values_that_end_the_process_are_refused() {
        for (value, allowed) in [
            (Value::Integer(1), true),
            (Value::Integer(4096), true),
            (Value::Integer(0), false),
            (Value::Integer(-1), false),
            (Value::Integer(4097), false),
            (Value::Float(2.0), false),
            (Value::String(c"2".into()), false),
            (Value::Boolean(true), false),
            (Value::Integers(vec![2]), false),
        ] {
            let mut options = Options::default();
            options.set(c"cpu_device_count", value.clone());
            assert_eq!(check_options(&options).is_ok(), allowed, "{value:?}");
        }
    }
}
