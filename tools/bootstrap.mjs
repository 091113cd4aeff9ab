// Entry of every npm script: installs the dependencies if the lockfile requires it, then runs the given TypeScript file on Node 24. Plain
// JavaScript without dependencies, because it runs before anything is installed, on Node 20 or later.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const stamp = join(modules, '.quittance-lock')

const major = (version) => Number(version.split('.')[0])

function fail(message) {
  console.error(message)
  process.exit(1)
}

function lockfileHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function isInstalled(hash) {
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === hash
  // npm writes its own copy of the lockfile last, so a copy newer than the lockfile means that a manual installation is complete.
  const own = join(modules, '.package-lock.json')
  return existsSync(own) && statSync(own).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

function install() {
  const hash = lockfileHash()
  if (isInstalled(hash)) return existsSync(stamp) || writeFileSync(stamp, hash)
  const first = !existsSync(modules)
  console.log(first ? 'First run: installing dependencies (about a minute) …' : 'package-lock.json has changed: installing dependencies …')
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  // Development tools are always needed, whatever NODE_ENV is: they run the checks and the tests.
  const args = [...npm.slice(1), 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']
  const { status, error } = spawnSync(npm[0], args, { cwd: root, stdio: 'inherit' })
  if (error) fail(`npm could not be started: ${error.message}. Install npm (https://nodejs.org) and try again.`)
  if (status !== 0) fail('npm ci failed: see its message above. Nothing was started.')
  writeFileSync(stamp, hash)
}

function findNode() {
  if (major(process.versions.node) >= 24) return process.execPath
  const bundled = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(bundled)) return bundled
  return fail(
    `Quittance runs on Node 24 or later; this is Node ${process.versions.node}, and npm has no Node 24 for ${process.platform}-${process.arch}.\n` +
      'Install Node 24 (https://nodejs.org/en/download, or `nvm install 24`) and try again.',
  )
}

function environment(node) {
  return {
    ...process.env,
    PATH: [dirname(node), join(modules, '.bin'), process.env.PATH].join(delimiter),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache', 'compile'),
  }
}

function run(file, args) {
  const node = findNode()
  // The channel notifies the child immediately when this process is killed: see supervisor/stop-signals.ts.
  const child = spawn(node, [file, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: environment(node) })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`${node} could not be started: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
  if (process.env.npm_lifecycle_event) stopWithParent(child)
}

// If npm is killed, or a shell between npm and this process does not forward signals, the system must not continue to run.
function stopWithParent(child) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 500)
}

if (major(process.versions.node) < 20) fail(`Quittance needs Node 20 or later to start; this is Node ${process.versions.node}.`)
const [file, ...args] = process.argv.slice(2)
if (!file) fail('Usage: node tools/bootstrap.mjs FILE.ts [ARGUMENT…]')
install()
run(resolve(root, file), args)
