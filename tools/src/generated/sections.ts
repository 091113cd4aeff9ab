/**
 * Replaces the generated sections of a document: `sections` has the content by name. A section is between `<!-- generated: NAME -->` and
 * `<!-- /generated -->`. Throws on a marker without content and on content without a marker.
 */
export function fillSections(file: string, text: string, sections: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(sections))
  const filled = text.replaceAll(
    /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_whole: string, ...groups: string[]) => {
      const [start, name = '', end] = groups
      const content = sections[name]
      if (content === undefined) throw new Error(`${file} has a section "${name}" that nothing generates.`)
      unused.delete(name)
      return `${start}\n${content}\n\n${end}`
    },
  )
  if (unused.size > 0) throw new Error(`${file} lacks the marker <!-- generated: ${[...unused].join(', ')} -->.`)
  return filled
}
