//! The adapters that wgpu finds.

use super::adapters::{Backend, Description, Kind};
use super::contain::contain;

/// Whether this build knows devices.
pub const BUILT: bool = true;
/// How a user gets a Vulkan driver that needs no GPU.
pub const SOFTWARE_ADAPTER_HINT: &str = "to get a software adapter install Mesa's Vulkan driver (Debian/Ubuntu: apt install mesa-vulkan-drivers; \
     Fedora: dnf install mesa-vulkan-drivers; Arch: pacman -S vulkan-swrast), or use --backend cpu";

/// An adapter: its description and the means to open a device on it.
#[derive(Clone, Debug)]
pub struct Adapter {
    /// What a user is told.
    pub description: Description,
    pub(super) handle: wgpu::Adapter,
}

/// Every adapter of every backend that this binary was built with (or of one backend), in a fixed order: Vulkan, Metal,
/// DX12, GL, each as its driver lists them. A driver that panics counts as having none.
#[must_use]
pub fn list(only: Option<Backend>) -> Vec<Adapter> {
    let mut all = Vec::new();
    for backend in [Backend::Vulkan, Backend::Metal, Backend::Dx12, Backend::Gl] {
        // The index of an adapter must not depend on the backend asked for, so those before it are counted too.
        let found = contain(|| {
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
            descriptor.backends = flags(backend);
            // Debug builds of wgpu switch on API validation layers, which few machines have; wgpu's own checks stay.
            descriptor.flags = wgpu::InstanceFlags::empty().with_env();
            let instance = wgpu::Instance::new(descriptor);
            pollster::block_on(instance.enumerate_adapters(flags(backend)))
        });
        for handle in found.unwrap_or_default() {
            if let Some(description) = describe(&handle, all.len()) {
                all.push(Adapter { description, handle });
            }
        }
        if only == Some(backend) {
            break;
        }
    }
    all.retain(|adapter| only.is_none_or(|backend| adapter.description.backend == backend));
    all
}

fn describe(handle: &wgpu::Adapter, index: usize) -> Option<Description> {
    let info = handle.get_info();
    let limits = handle.limits();
    let available = handle.features();
    // A GL driver without compute shaders is of no use here.
    let capabilities = handle.get_downlevel_capabilities();
    if !capabilities.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        return None;
    }
    let features = [
        (wgpu::Features::SHADER_INT64, "int64"),
        (wgpu::Features::SUBGROUP, "subgroups"),
        (wgpu::Features::TIMESTAMP_QUERY, "timestamps"),
    ];
    Some(Description {
        index,
        kind: kind(&info),
        backend: backend(info.backend)?,
        name: info.name,
        driver: info.driver,
        driver_info: info.driver_info,
        max_storage_binding_bytes: limits.max_storage_buffer_binding_size,
        max_buffer_bytes: limits.max_buffer_size,
        max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
        max_workgroup_bytes: limits.max_compute_workgroup_storage_size,
        max_workgroup_invocations: limits.max_compute_invocations_per_workgroup,
        max_workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
        subgroup_sizes: [info.subgroup_min_size, info.subgroup_max_size],
        features: features.into_iter().filter(|(flag, _)| available.contains(*flag)).map(|(_, name)| name).collect(),
    })
}

fn flags(backend: Backend) -> wgpu::Backends {
    match backend {
        Backend::Vulkan => wgpu::Backends::VULKAN,
        Backend::Metal => wgpu::Backends::METAL,
        Backend::Dx12 => wgpu::Backends::DX12,
        Backend::Gl => wgpu::Backends::GL,
    }
}

fn backend(of: wgpu::Backend) -> Option<Backend> {
    match of {
        wgpu::Backend::Vulkan => Some(Backend::Vulkan),
        wgpu::Backend::Metal => Some(Backend::Metal),
        wgpu::Backend::Dx12 => Some(Backend::Dx12),
        wgpu::Backend::Gl => Some(Backend::Gl),
        wgpu::Backend::Noop | wgpu::Backend::BrowserWebGpu => None,
    }
}

fn kind(info: &wgpu::AdapterInfo) -> Kind {
    // OpenGL drivers cannot say that they are software; Mesa's names can.
    let name = info.name.to_lowercase();
    if ["llvmpipe", "softpipe", "swrast", "swiftshader", "basic render"].iter().any(|soft| name.contains(soft)) {
        return Kind::Software;
    }
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => Kind::Discrete,
        wgpu::DeviceType::IntegratedGpu => Kind::Integrated,
        wgpu::DeviceType::VirtualGpu => Kind::Virtual,
        wgpu::DeviceType::Cpu => Kind::Software,
        wgpu::DeviceType::Other => Kind::Unknown,
    }
}
