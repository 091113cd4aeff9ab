import { setTimeout as delay } from 'node:timers/promises'
import type { ReadyFile, ServiceProcess } from '@quittance/testing/ready-file'
import { isServing } from '../supervisor/service-process.ts'

const patienceMs = 60_000

/** Stops every service process and waits until the supervisor has replaced all of them. */
export async function restartServices(facts: () => ReadyFile): Promise<string> {
  const before = processes(facts())
  for (const { pid } of before) process.kill(pid, 'SIGTERM')
  const old = new Set(before.map(({ pid }) => pid))
  const areBack = async () => {
    const now = processes(facts()).filter(({ pid }) => !old.has(pid))
    return now.length === before.length && (await Promise.all(now.map((each) => isServing(each.health_url)))).every(Boolean)
  }
  for (const start = Date.now(); !(await areBack()); await delay(50)) {
    if (Date.now() - start > patienceMs) throw new Error(`the services were not ready again after ${patienceMs / 1000} s`)
  }
  return `${before.length} processes`
}

function processes({ services }: ReadyFile): ServiceProcess[] {
  return Object.values(services).flat()
}
