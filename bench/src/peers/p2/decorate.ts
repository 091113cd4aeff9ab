interface Decoration {
  /** Of the class itself. */
  type?: ClassDecorator[]
  /** Of its methods, and of the parameters of each from the first. */
  methods?: Record<string, { method: MethodDecorator[]; parameters?: ParameterDecorator[] }>
  /** Of the parameters of its constructor. */
  constructed?: ParameterDecorator[]
}

/** Applies decorators as a compiler would: Node strips types and knows no decorators. */
export function decorate(target: new (...values: never[]) => object, { type = [], methods = {}, constructed = [] }: Decoration): void {
  for (const [name, { method, parameters = [] }] of Object.entries(methods)) {
    const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name) as PropertyDescriptor
    for (const [index, decorator] of parameters.entries()) decorator(target.prototype as object, name, index)
    for (const decorator of method) decorator(target.prototype as object, name, descriptor)
  }
  for (const [index, decorator] of constructed.entries()) decorator(target, undefined, index)
  for (const decorator of type) decorator(target)
}
