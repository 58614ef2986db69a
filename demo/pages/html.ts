/** Markup in which all values are escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Creates markup from a template. Values are escaped as text, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(values[index - 1]) + part))
}

function render(value: unknown): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(render).join('')
  return String(value ?? '').replace(/[&<>"']/g, (character) => escapes[character] as string)
}
