import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The source of a commit in a separate folder, ready to run. */
export interface ReleaseSource {
  folder: string
  remove(): void
}

/** Returns whether the clone has the commit; a shallow one may not. */
export function hasCommit(commit: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0
}

/**
 * Exports a commit from the history. Its workspaces are its own; libraries are those installed here if the versions are equal, and are
 * installed beside it otherwise.
 */
export function exportSource(commit: string): ReleaseSource {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-release-'))
  const archive = execFileSync('git', ['archive', commit, 'package.json', 'package-lock.json', 'packages', 'services'], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const other = otherVersions(folder)
  if (other.length === 0) shareLibraries(folder)
  else {
    // oxlint-disable-next-line no-console -- explains a pause of a minute
    console.warn(`${commit} needs other libraries (${other.join(', ')}): installing them`)
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function shareLibraries(folder: string): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@quittance'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== '@quittance')) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const workspace of globSync('{packages,services}/*', { cwd: folder })) {
    symlinkSync(join(folder, workspace), join(modules, '@quittance', workspace.split('/')[1] as string))
    const own = join(root, workspace, 'node_modules')
    if (existsSync(own)) symlinkSync(own, join(folder, workspace, 'node_modules'))
  }
}

/** Returns the dependencies of that commit's workspaces that this installation has in another version, or not at all. */
function otherVersions(folder: string): string[] {
  return globSync('{packages,services}/*/package.json', { cwd: folder }).flatMap((file) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { dependencies?: Record<string, string> }
    return Object.entries(dependencies)
      .filter(([name, version]) => !name.startsWith('@quittance/') && installedVersion(name, dirname(file)) !== version)
      .map(([name, version]) => `${name} ${version}`)
  })
}

function installedVersion(name: string, workspace: string): string | null {
  const places = [join(root, workspace, 'node_modules', name), join(root, 'node_modules', name)]
  const place = places.find((each) => existsSync(join(each, 'package.json')))
  return place ? (JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { version: string }).version : null
}
