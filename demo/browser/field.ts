/** Shows validation errors below a field, instead of in the browser's own bubble, which disappears. */
export function prepareFields() {
  for (const field of document.querySelectorAll<HTMLInputElement>('input[data-invalid]')) {
    const problem = document.createElement('span')
    Object.assign(problem, { className: 'wrong', id: `wrong-${crypto.randomUUID()}` })
    field.addEventListener('invalid', (event) => {
      event.preventDefault()
      problem.textContent = field.dataset.invalid ?? ''
      field.after(problem)
      field.setAttribute('aria-invalid', 'true')
      field.setAttribute('aria-describedby', problem.id)
      field.form?.querySelector<HTMLInputElement>(':invalid')?.focus()
    })
    field.addEventListener('input', () => {
      problem.remove()
      field.removeAttribute('aria-invalid')
      field.removeAttribute('aria-describedby')
    })
  }
}
