import { ref } from 'vue'

const key = 'chosen-tabs'

/** The labels that the reader chose, latest first. All tabs of the site follow them. */
const chosen = ref<string[]>([])

/** Restores the choice of an earlier visit. Call it after the page is mounted, because the server-rendered page has no choice. */
export function restoreChoice(): void {
  if (chosen.value.length > 0) return
  try {
    chosen.value = JSON.parse(localStorage.getItem(key) ?? '[]')
  } catch {
    // If the storage is blocked or has an invalid value, nothing is chosen.
  }
}

export function choose(label: string): void {
  chosen.value = [label, ...chosen.value.filter((each) => each !== label)].slice(0, 20)
  try {
    localStorage.setItem(key, JSON.stringify(chosen.value))
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}

/** The index of the label to show: the one that was chosen last, otherwise the first. */
export function chosenIndex(labels: string[]): number {
  const label = chosen.value.find((each) => labels.includes(each))
  return label === undefined ? 0 : labels.indexOf(label)
}
