import type { Manifest } from './render.ts'

/** Groups of the API whose folder in `kubernetes-types` is called otherwise. */
const folders: Record<string, string> = { v1: 'core/v1', 'networking.k8s.io/v1': 'networking/v1' }

/**
 * Manifests as TypeScript with the types of the Kubernetes API: the compiler refuses a field that the API does not know, a missing one that
 * it demands, and a value of another type.
 */
export function typed(manifests: readonly Manifest[]): string {
  return manifests
    .map(({ apiVersion, kind, ...rest }, index) => {
      const folder = folders[apiVersion] ?? apiVersion
      const body = JSON.stringify({ apiVersion, kind, ...rest }, null, 2)
      return `// ${kind} ${rest.metadata.name}\nexport const manifest${index}: import('kubernetes-types/${folder}').${kind} = ${body}\n`
    })
    .join('\n')
}
