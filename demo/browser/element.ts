/** Creates an element with these properties and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: Node[]
) {
  const created = Object.assign(document.createElement(name), properties)
  created.append(...children)
  return created
}
