/** What any balancer does: asks replicas whether they take work, and hands requests to those that do, in turn. */
export interface Balancer {
  /** Address of the replica whose turn it is. */
  next(): string
  stop(): void
}

const lookMs = 100

export async function startBalancer(replicas: () => string[]): Promise<Balancer> {
  const known = replicas()
  const ready = new Set(known)
  let turn = 0
  const look = async (url: string) => {
    const verdict = await verdictOn(url)
    if (verdict === 'ready') ready.add(url)
    else if (verdict === 'not ready') ready.delete(url)
  }
  await Promise.all(known.map(look))
  const timer = setInterval(() => known.forEach((url) => void look(url)), lookMs)
  return {
    next() {
      const url = [...ready][(turn += 1) % ready.size]
      if (!url) throw new Error('No replica is ready')
      return url
    },
    stop: () => clearInterval(timer),
  }
}

/** A probe that takes too long says that the machine is busy, and nothing about the replica. */
async function verdictOn(url: string): Promise<'ready' | 'not ready' | 'unknown'> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200 ? 'ready' : 'not ready'
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'unknown' : 'not ready'
  }
}
