import { existsSync, globSync, readdirSync, readFileSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { serviceNames, type ServiceName } from '@quittance/contracts/services'

export interface SourceChange {
  /** Services that import the changed workspaces, directly or through another package. */
  services: ReadonlySet<ServiceName>
  /** Paths relative to the checkout. */
  files: readonly string[]
}

export interface WatchOptions {
  /** Top of a checkout. */
  root: string
  onChange: (change: SourceChange) => void
}

/** An editor or Git writes several files at once. */
const settleMs = 100

/** Watches the sources of the services and of the packages that they depend on. Tests and documentation are ignored. */
export function watchSources({ root, onChange }: WatchOptions): { close(): void } {
  const dependents = findDependents(root)
  const watchers = new Map<string, FSWatcher>()
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    const files = [...changed].toSorted()
    changed.clear()
    for (const workspace of dependents.keys()) watchFolders(workspace)
    const services = new Set(files.flatMap((file) => [...(dependents.get(file.split('/').slice(0, 2).join('/')) ?? [])]))
    if (services.size > 0) onChange({ services, files })
  }

  function watchFolders(workspace: string): void {
    const source = join(root, workspace, 'src')
    if (!existsSync(source)) return
    const folders = readdirSync(source, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const folder of [source, ...folders.map((entry) => join(entry.parentPath, entry.name))]) {
      if (watchers.has(folder)) continue
      const watcher = watch(folder, (_, name) => {
        if (!name || !isSource(name)) return
        changed.add(relative(root, join(folder, name)))
        clearTimeout(timer)
        timer = setTimeout(flush, settleMs)
      })
      // A deleted folder may come back, for example when Git changes the branch.
      const forget = () => {
        watcher.close()
        watchers.delete(folder)
      }
      watcher.once('error', forget)
      watchers.set(folder, watcher)
    }
  }

  for (const workspace of dependents.keys()) watchFolders(workspace)
  return {
    close() {
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

/** A folder has no extension; its files are found when it is watched. */
function isSource(name: string): boolean {
  return /\.(ts|json|css|html|sql)$|^[^.]+$/.test(basename(name)) && !name.endsWith('.test.ts')
}

/** Maps every workspace that a service consists of to the services that depend on it, as their manifests declare. */
export function findDependents(root: string): Map<string, Set<ServiceName>> {
  const manifests = globSync('{packages,services}/*/package.json', { cwd: root }).map((file) => ({
    folder: dirname(file),
    ...(JSON.parse(readFileSync(join(root, file), 'utf8')) as { name: string; dependencies?: Record<string, string> }),
  }))
  const dependents = new Map<string, Set<ServiceName>>()
  const visit = (name: string, service: ServiceName): void => {
    const manifest = manifests.find((each) => each.name === name)
    if (!manifest) return
    const known = dependents.get(manifest.folder) ?? new Set()
    dependents.set(manifest.folder, known.add(service))
    for (const dependency of Object.keys(manifest.dependencies ?? {})) visit(dependency, service)
  }
  for (const service of serviceNames) visit(manifests.find(({ folder }) => folder === `services/${service}`)?.name ?? '', service)
  return dependents
}
