import type { ServiceName } from '@quittance/contracts/services'
import type { ProgressReporter } from '@quittance/testing/engines/engine'
import type { SourceChange } from './watch-sources.ts'

export interface RestartOptions {
  /** Restarts the processes of the services and resolves when each is ready or has ended. */
  restart: (services: ReadonlySet<ServiceName>) => Promise<void>
  /** Applies new migrations. */
  migrate: () => Promise<void>
  /** Applies the permissions that changed contracts give. */
  updatePermissions: () => Promise<void>
  report: ProgressReporter
}

/** Returns a function that restarts services after a change of their sources. Changes during a restart are collected for the next one. */
export function createChangeHandler({ restart, migrate, updatePermissions, report }: RestartOptions): (change: SourceChange) => void {
  const services = new Set<ServiceName>()
  const files = new Set<string>()
  let isRestarting = false

  async function restartChanged(): Promise<void> {
    const next = new Set(services)
    const changed = [...files]
    services.clear()
    files.clear()
    report(`${describeFiles(changed)} changed: restarting ${[...next].join(', ')}`)
    if (changed.some((file) => file.includes('/migrations/'))) await migrate()
    if (changed.some((file) => file.startsWith('packages/contracts/'))) await updatePermissions()
    await restart(next)
  }

  async function restartUntilDone(): Promise<void> {
    isRestarting = true
    while (services.size > 0) await restartChanged().catch((error: Error) => report(error.message))
    isRestarting = false
  }

  return (change) => {
    for (const service of change.services) services.add(service)
    for (const file of change.files) files.add(file)
    if (!isRestarting) void restartUntilDone()
  }
}

function describeFiles(files: readonly string[]): string {
  return files.length > 3 ? `${files.length} files` : files.join(', ')
}
