import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments, parse } from 'yaml'

/** A Kubernetes object of a manifest. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string }
  [key: string]: unknown
}

interface Kustomization {
  apiVersion: string
  kind: string
  resources: string[]
  namespace?: string
  images?: { name: string; newName?: string; newTag?: string }[]
  patches?: { target: { kind: string; name?: string }; patch: string }[]
}

const known = new Set(['apiVersion', 'kind', 'resources', 'namespace', 'images', 'patches'])

/**
 * Renders a folder like `kubectl kustomize`, for the part of kustomize that our folders use; throws on anything else. The check thus needs
 * no program from outside npm; a test compares the two if kubectl is installed.
 */
export function render(folder: string): Manifest[] {
  const kustomization = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization
  const unknown = Object.keys(kustomization).filter((key) => !known.has(key))
  if (unknown.length > 0) throw new Error(`${folder}/kustomization.yaml: this check does not support ${unknown.join(', ')}`)
  const manifests = kustomization.resources.flatMap((resource) => load(join(folder, resource)))
  for (const manifest of manifests) {
    if (kustomization.namespace && manifest.kind !== 'Namespace') manifest.metadata.namespace = kustomization.namespace
    for (const image of kustomization.images ?? []) rename(manifest, image)
  }
  for (const { target, patch } of kustomization.patches ?? []) {
    const targets = manifests.filter(({ kind, metadata }) => kind === target.kind && (!target.name || metadata.name === target.name))
    if (targets.length === 0) throw new Error(`${folder}: a patch targets ${target.kind} ${target.name ?? ''}, which does not exist`)
    for (const manifest of targets) for (const operation of parse(patch) as Operation[]) apply(manifest, operation)
  }
  return manifests
}

function load(path: string): Manifest[] {
  if (!existsSync(path)) throw new Error(`${path} does not exist`)
  if (statSync(path).isDirectory()) return render(path)
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    const [fault] = document.errors
    if (fault) throw new Error(`${path}: ${fault.message}`)
    return document.toJS() as Manifest
  })
}

interface Container {
  image: string
}

function rename(manifest: Manifest, { name, newName = name, newTag }: NonNullable<Kustomization['images']>[number]): void {
  const { spec } = manifest as { spec?: { template?: { spec?: { containers?: Container[]; initContainers?: Container[] } } } }
  const pod = spec?.template?.spec
  for (const container of [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])]) {
    if (container.image.split(':')[0] === name) container.image = newTag ? `${newName}:${newTag}` : newName
  }
}

interface Operation {
  op: 'add' | 'replace'
  path: string
  value: unknown
}

/** Applies an operation of RFC 6902: adds and replaces keys of objects. */
function apply(manifest: Manifest, { op, path, value }: Operation): void {
  const steps = path.split('/').slice(1)
  const last = steps.pop() as string
  const parent = steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], manifest) as
    | Record<string, unknown>
    | undefined
  if (!parent || (op === 'replace' && !(last in parent))) throw new Error(`A patch of ${manifest.kind}: ${path} does not exist`)
  parent[last] = value
}
