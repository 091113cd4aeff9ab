interface Decoration {
  /** Decorators of the class. */
  type?: ClassDecorator[]
  /** Decorators of its methods, and of the parameters of each, starting with the first. */
  methods?: Record<string, { method: MethodDecorator[]; parameters?: ParameterDecorator[] }>
  /** Decorators of the constructor's parameters. */
  constructed?: ParameterDecorator[]
}

/** Applies decorators as a compiler would: Node strips types and does not support decorators. */
export function decorate(target: new (...values: never[]) => object, { type = [], methods = {}, constructed = [] }: Decoration): void {
  for (const [name, { method, parameters = [] }] of Object.entries(methods)) {
    const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name) as PropertyDescriptor
    for (const [index, decorator] of parameters.entries()) decorator(target.prototype as object, name, index)
    for (const decorator of method) decorator(target.prototype as object, name, descriptor)
  }
  for (const [index, decorator] of constructed.entries()) decorator(target, undefined, index)
  for (const decorator of type) decorator(target)
}
