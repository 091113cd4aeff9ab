import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** Cost parameters of scrypt as OWASP recommends: 128 MiB would be N=2^17; 2^15 with r=8 takes 32 MiB and about 60 ms. */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const keyBytes = 32

/** Hashes a password in the form `scrypt$N$r$p$salt$key`, so that the cost can be raised without invalidating old accounts. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, { salt, ...cost })
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Compares in constant time. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
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

/** Limits concurrent hashing. Node has four threads for it, which other work needs too, for example connecting to PostgreSQL. */
const maxConcurrentHashes = 2
const turns: Promise<unknown>[] = Array.from({ length: maxConcurrentHashes }, () => Promise.resolve())
let next = 0

function derive(
  password: string,
  { salt, ...options }: { salt: Buffer; N: number; r: number; p: number; maxmem: number },
): Promise<Buffer> {
  const work = () =>
    new Promise<Buffer>((resolve, reject) => {
      scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)))
    })
  const turn = next++ % maxConcurrentHashes
  const result = (turns[turn] as Promise<unknown>).then(work, work)
  turns[turn] = result
  return result
}
