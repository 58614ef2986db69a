import { ref } from 'vue'

const key = 'chosen-tabs'

/** The labels that the reader chose, latest first. All tabs of the site follow them. */
const chosen = ref<string[]>([])

/** Reads the choice of an earlier visit. Only after the page is mounted: the server does not know it. */
export function restoreChoice(): void {
  if (chosen.value.length > 0) return
  try {
    chosen.value = JSON.parse(localStorage.getItem(key) ?? '[]')
  } catch {
    // Storage that is blocked or holds something else: nothing was chosen.
  }
}

export function choose(label: string): void {
  chosen.value = [label, ...chosen.value.filter((each) => each !== label)].slice(0, 20)
  try {
    localStorage.setItem(key, JSON.stringify(chosen.value))
  } catch {
    // The choice holds until the page is left.
  }
}

/** Which of the labels to show: the one that was chosen last, otherwise the first. */
export function chosenOf(labels: string[]): number {
  const label = chosen.value.find((each) => labels.includes(each))
  return label === undefined ? 0 : labels.indexOf(label)
}
