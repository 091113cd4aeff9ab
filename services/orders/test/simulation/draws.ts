/** A stream of numbers that is the same for the same seed (sfc32, seeded by splitmix32). */
export class Draws {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(...seeds: number[]) {
    let state = 0x9e3779b9
    const mix = (seed: number) => {
      let mixed = Math.imul(state ^ seed, 0x21f0aaad)
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
      state = (mixed ^ (mixed >>> 16)) + 0x9e3779b9
      return state | 0
    }
    for (const seed of seeds) mix(seed)
    this.#a = mix(1)
    this.#b = mix(2)
    this.#c = mix(3)
    for (let warm = 0; warm < 12; warm += 1) this.next()
  }

  /** Returns a number from 0 to less than 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 4_294_967_296
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Returns an integer from `min` to `max`. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }
}
