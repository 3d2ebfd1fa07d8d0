//! Address spaces: each is one kind of memory of one device of one client.

use std::ffi::{CStr, CString};

use parking_lot::RwLock;

use super::accounts::Accounts;
use super::element::ElementType;
use super::paths::Paths;
use super::plugins::{Client, c_string};
use crate::error::{Result, bail, error};
use crate::pjrt::host::{Destination, HostVisible, Source};
use crate::pjrt::{self, Device, Memory};

/// An address space. It lives as long as the process, and so does its ID.
pub struct Space {
    /// 0, 1, 2 … in the order of loading: device by device, each device's default
    /// memory first.
    pub id: u32,
    /// The client that it belongs to.
    pub client: &'static Client,
    /// What the plugin told of it.
    pub description: Description,
    /// What is allocated in it.
    pub accounts: Accounts,
    /// How bytes got into it and out of it.
    pub paths: Paths,
}

/// What is known of an address space before it has an ID.
pub struct Description {
    /// The device, on the plugin's side.
    pub device: Device,
    /// The memory, on the plugin's side.
    pub memory: Memory,
    /// The device's ID, one of its own in the client.
    pub device_id: i32,
    /// What the vendor calls this kind of device.
    pub device_kind: CString,
    /// The kind of memory, such as `device` or `pinned_host`.
    pub memory_kind: CString,
    /// Whether the host can read and write the bytes in place.
    pub host_visible: Option<HostVisible>,
    /// Whether it is the default memory of its device.
    pub default_memory: bool,
}

static SPACES: RwLock<Vec<&'static Space>> = RwLock::new(Vec::new());

/// How many address spaces there are; their IDs are all that is below.
pub fn space_count() -> u32 {
    SPACES.read().len() as u32
}

/// The address space of that ID.
pub fn space(id: u32) -> Result<&'static Space> {
    let spaces = SPACES.read();
    spaces.get(id as usize).copied().ok_or_else(|| {
        error!(
            NotFound,
            "there is no address space {id}; {} have been loaded, from 0 on",
            spaces.len()
        )
    })
}

impl Space {
    /// Gives spaces of a client their IDs.
    pub(super) fn register(client: &'static Client, descriptions: Vec<Description>) {
        let mut spaces = SPACES.write();
        for description in descriptions {
            let id = spaces.len() as u32;
            spaces.push(Box::leak(Box::new(Space {
                id,
                client,
                description,
                accounts: Accounts::default(),
                paths: Paths::default(),
            })));
        }
    }

    /// The space of a client's device with that kind of memory, or with the
    /// device's default memory.
    pub fn find(
        client: &Client,
        device_id: i32,
        memory_kind: Option<&CStr>,
    ) -> Result<&'static Space> {
        let (first, count) = (client.first_space as usize, client.space_count as usize);
        let spaces = SPACES.read();
        let of_client = &spaces[first..first + count];
        let fits = |space: &&&'static Space| {
            let it = &space.description;
            it.device_id == device_id
                && memory_kind.map_or(it.default_memory, |kind| *it.memory_kind == *kind)
        };
        if let Some(space) = of_client.iter().find(fits) {
            return Ok(space);
        }
        let known: Vec<String> = of_client
            .iter()
            .map(|space| {
                let it = &space.description;
                format!("{} of device {}", it.memory_kind.to_string_lossy(), it.device_id)
            })
            .collect();
        bail!(
            NotFound,
            "client {} has no {} memory of device {device_id}; it has {}",
            client.id,
            memory_kind.unwrap_or(c"default").to_string_lossy(),
            known.join(", ")
        )
    }
}

/// Asks a client for its memories, device by device, the default ones first.
pub(super) fn describe(client: &pjrt::Client) -> Result<Vec<Description>> {
    let mut descriptions = Vec::new();
    for device in client.devices()? {
        for memory in memories(&device)? {
            descriptions.push(Description {
                device,
                memory,
                device_id: device.id()?,
                device_kind: c_string(device.kind()?),
                memory_kind: c_string(memory.kind()?),
                host_visible: host_visible(client, memory),
                default_memory: memory == device.default_memory()?,
            });
        }
    }
    Ok(descriptions)
}

fn memories(device: &Device) -> Result<Vec<Memory>> {
    let default = device.default_memory()?;
    let mut memories = device.memories()?;
    memories.retain(|memory| *memory != default);
    memories.insert(0, default);
    Ok(memories)
}

/// Whether the host may read and write buffers of that memory in place.
///
/// The plugin has to say so, and it is not believed without a try: bytes that
/// went in through the plugin have to be at the address, and bytes that are put
/// there have to come back through the plugin.
fn host_visible(client: &pjrt::Client, memory: Memory) -> Option<HostVisible> {
    const LENGTH: usize = 64;
    let sent: [u8; LENGTH] = std::array::from_fn(|i| (i * 37 + 11) as u8);
    let put = sent.map(|byte| !byte);
    let try_it = || -> Result<Option<HostVisible>> {
        let element = ElementType::U8 as i32;
        let buffer = client.from_host(memory, element, LENGTH as i64, Source::of(&sent))?;
        buffer.wait()?;
        if !buffer.is_on_cpu()? {
            return Ok(None);
        }
        let visible = HostVisible::find(buffer.address()?, &sent, &put);
        let mut back = [0; LENGTH];
        buffer.read_all(Destination::of(&mut back))?;
        Ok(visible.filter(|_| back == put))
    };
    // A plugin that cannot do one of these can still hold memory.
    try_it().ok().flatten()
}
