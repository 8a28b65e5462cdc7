//! Adapters: what is there, and which one a request means.

use serde::Serialize;

use super::fault::Fault;
use super::present::BUILT;
pub use super::present::{Adapter, list};

/// A graphics API that wgpu may find adapters through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Vulkan (Linux, Windows, Android)
    Vulkan,
    /// Metal (Apple)
    Metal,
    /// Direct3D 12 (Windows)
    Dx12,
    /// OpenGL (ES) 3.1 or later
    Gl,
}

impl Backend {
    /// The name that `--backend` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::Dx12 => "dx12",
            Self::Gl => "gl",
        }
    }
}

/// What kind of thing an adapter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU lent by a hypervisor.
    Virtual,
    /// The CPU, dressed as a GPU.
    Software,
    /// The driver does not say.
    Unknown,
}

impl Kind {
    /// Whether `--backend auto` takes it.
    #[must_use]
    pub fn is_hardware(self) -> bool {
        matches!(self, Self::Discrete | Self::Integrated | Self::Virtual)
    }

    /// The word shown to users.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Software => "software",
            Self::Unknown => "unknown",
        }
    }
}

/// What a user is told of an adapter: the limits and features that matter to these kernels.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// Its place in the list of all adapters; `--adapter INDEX` takes it.
    pub index: usize,
    /// The device's name as the driver gives it.
    pub name: String,
    /// Discrete, integrated, virtual, software.
    pub kind: Kind,
    /// The API it was found through.
    pub backend: Backend,
    /// The driver's name.
    pub driver: String,
    /// The driver's version and build.
    pub driver_info: String,
    /// Bytes that one storage binding may span.
    pub max_storage_binding_bytes: u64,
    /// Bytes that one buffer may hold.
    pub max_buffer_bytes: u64,
    /// Storage buffers that one kernel may bind.
    pub max_storage_buffers: u32,
    /// Workgroup memory in bytes.
    pub max_workgroup_bytes: u32,
    /// Invocations in one workgroup.
    pub max_workgroup_invocations: u32,
    /// Workgroups along one dimension of a dispatch.
    pub max_workgroups_per_dimension: u32,
    /// Least and greatest subgroup size; 0 where the driver does not say.
    pub subgroup_sizes: [u32; 2],
    /// Optional features that kernels may use: `int64`, `subgroups`, `timestamps`.
    pub features: Vec<&'static str>,
}

impl Description {
    /// `name (kind, backend, driver)`: the one-line form.
    #[must_use]
    pub fn line(&self) -> String {
        let driver = format!("{} {}", self.driver, self.driver_info);
        format!("{} ({}, {}, {})", self.name, self.kind.name(), self.backend.name(), driver.trim())
    }
}

/// Which adapter is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Only adapters of this backend; `None`: of any.
    pub backend: Option<Backend>,
    /// An index from the list of all adapters, or a part of a name (in any case).
    pub adapter: Option<String>,
    /// Take real hardware only (`--backend auto` without a named adapter).
    pub hardware_only: bool,
}

impl Request {
    /// Whether an adapter answers it.
    #[must_use]
    pub fn fits(&self, description: &Description) -> bool {
        let named = self.adapter.as_ref().is_none_or(|wanted| match wanted.parse::<usize>() {
            Ok(index) => index == description.index,
            Err(_) => description.name.to_lowercase().contains(&wanted.to_lowercase()),
        });
        named
            && self.backend.is_none_or(|backend| backend == description.backend)
            && (!self.hardware_only || description.kind.is_hardware())
    }

    fn wording(&self) -> String {
        let backend = self.backend.map_or("auto", Backend::name);
        match &self.adapter {
            Some(adapter) => format!("--backend {backend} --adapter {adapter}"),
            None => format!("--backend {backend}"),
        }
    }
}

/// The first adapter that answers the request: real hardware before software.
///
/// # Errors
/// [`Fault::NoAdapter`], naming what is there; [`Fault::NotBuilt`].
pub fn select(request: &Request) -> Result<Adapter, Fault> {
    if !BUILT {
        return Err(Fault::NotBuilt { wanted: request.wording() });
    }
    // Loading a driver takes time, and some talk on stderr: the backends behind the one wanted are left alone.
    let near = request.backend.map_or_else(Vec::new, |backend| list(Some(backend)));
    if let Some(adapter) = best(near, request) {
        return Ok(adapter);
    }
    let all = list(None);
    let present = if all.is_empty() {
        "none".to_owned()
    } else {
        let lines = all.iter().map(|a| format!("{}: {}", a.description.index, a.description.line()));
        lines.collect::<Vec<_>>().join(", ")
    };
    best(all, request).ok_or_else(|| Fault::NoAdapter { wanted: request.wording(), present })
}

fn best(among: Vec<Adapter>, request: &Request) -> Option<Adapter> {
    let fitting = among.into_iter().filter(|adapter| request.fits(&adapter.description));
    // The first of the least: hardware before software, else in the list's order.
    fitting.min_by_key(|adapter| !adapter.description.kind.is_hardware())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(index: usize, name: &str, kind: Kind, backend: Backend) -> Description {
        Description {
            index,
            name: name.to_owned(),
            kind,
            backend,
            driver: "driver".to_owned(),
            driver_info: "1.0".to_owned(),
            max_storage_binding_bytes: 0,
            max_buffer_bytes: 0,
            max_storage_buffers: 8,
            max_workgroup_bytes: 0,
            max_workgroup_invocations: 256,
            max_workgroups_per_dimension: 65_535,
            subgroup_sizes: [8, 8],
            features: vec![],
        }
    }

    #[test]
    fn an_adapter_is_named_by_index_or_by_part_of_its_name_in_any_case() {
        let soft = description(1, "llvmpipe (LLVM 15)", Kind::Software, Backend::Vulkan);
        let by = |adapter: &str| Request { adapter: Some(adapter.to_owned()), ..Request::default() };
        assert!(by("LLVMpipe").fits(&soft));
        assert!(by("1").fits(&soft));
        assert!(!by("0").fits(&soft));
        assert!(!by("radeon").fits(&soft));
    }

    #[test]
    fn auto_passes_over_software_and_a_named_backend_over_others() {
        let soft = description(0, "llvmpipe", Kind::Software, Backend::Gl);
        assert!(!(Request { hardware_only: true, ..Request::default() }).fits(&soft));
        assert!((Request { backend: Some(Backend::Gl), ..Request::default() }).fits(&soft));
        assert!(!(Request { backend: Some(Backend::Vulkan), ..Request::default() }).fits(&soft));
    }
}
