import { spawnSync } from 'node:child_process'
import { onPath } from '@quittance/testing/engines/find-program'
import { warning, type Finding } from './finding.ts'

const chapter = 'docs/operations.md, "Backup and restore"'

/** Returns the major version of pg_dump on this machine, or null if there is none that runs, as with Debian's wrapper alone. */
export function readDumpVersion(): number | null {
  const program = onPath('pg_dump')
  if (!program) return null
  const [, version] = /\(PostgreSQL\) (\d+)/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout) ?? []
  return version ? Number(version) : null
}

/** Returns a warning if pg_dump cannot dump a server of this version: it rejects those of a later major version. */
export function findDumpProblem(
  what: string,
  { serverVersion, isEmbedded }: { serverVersion: string; isEmbedded: boolean },
): Finding | null {
  const [major, dump] = [Number.parseInt(serverVersion, 10), readDumpVersion()]
  if (dump === null || dump >= major) return null
  const advice = isEmbedded ? 'Back up by copying the data folder while the system is stopped' : `Backups need pg_dump ${major} or later`
  return warning(what, `PostgreSQL ${serverVersion}, which pg_dump ${dump} cannot dump`, `${advice}: ${chapter}.`)
}
