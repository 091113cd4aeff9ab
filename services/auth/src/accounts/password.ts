import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** OWASP's recommendation for scrypt: 128 MiB would be N=2^17; 2^15 with r=8 takes 32 MiB and about 60 ms. */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const keyBytes = 32

/** Hash in the form `scrypt$N$r$p$salt$key`, so that the cost can be raised without losing old accounts. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, { salt, ...cost })
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Compares in constant time. */
export async function matchesPassword(password: string, hash: string): Promise<boolean> {
  const [scheme, n, r, parallel, salt, key] = hash.split('$')
  if (scheme !== 'scrypt' || !salt || !key) return false
  const derived = await derive(password, {
    salt: Buffer.from(salt, 'base64url'),
    N: Number(n),
    r: Number(r),
    p: Number(parallel),
    maxmem: cost.maxmem,
  })
  const expected = Buffer.from(key, 'base64url')
  return derived.length === expected.length && timingSafeEqual(derived, expected)
}

/** Node has four threads for this, and needs them for other things too: connecting to PostgreSQL, for one. */
const atOnce = 2
const turns: Promise<unknown>[] = Array.from({ length: atOnce }, () => Promise.resolve())
let next = 0

function derive(
  password: string,
  { salt, ...options }: { salt: Buffer; N: number; r: number; p: number; maxmem: number },
): Promise<Buffer> {
  const work = () =>
    new Promise<Buffer>((resolve, reject) => {
      scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)))
    })
  const turn = next++ % atOnce
  const result = (turns[turn] as Promise<unknown>).then(work, work)
  turns[turn] = result
  return result
}
