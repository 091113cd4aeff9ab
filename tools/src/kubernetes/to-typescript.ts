import type { Manifest } from './render.ts'

/** API groups whose folder in `kubernetes-types` has another name. */
const folders: Record<string, string> = { v1: 'core/v1', 'networking.k8s.io/v1': 'networking/v1' }

/**
 * Converts manifests to TypeScript with the types of the Kubernetes API: the compiler rejects unknown fields, missing required ones and
 * values of the wrong type.
 */
export function toTypeScript(manifests: readonly Manifest[]): string {
  return manifests
    .map(({ apiVersion, kind, ...rest }, index) => {
      const folder = folders[apiVersion] ?? apiVersion
      const body = JSON.stringify({ apiVersion, kind, ...rest }, null, 2)
      return `// ${kind} ${rest.metadata.name}\nexport const manifest${index}: import('kubernetes-types/${folder}').${kind} = ${body}\n`
    })
    .join('\n')
}
