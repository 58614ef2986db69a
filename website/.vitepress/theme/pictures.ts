import { onContentUpdated, useData } from 'vitepress'
import { watch } from 'vue'

/** Makes pictures with a dark variant follow the switch of the site, which may differ from the system. */
export function followSwitch() {
  const { isDark } = useData()
  const choose = () => {
    for (const source of document.querySelectorAll('picture source')) source.setAttribute('media', isDark.value ? 'all' : 'not all')
  }
  onContentUpdated(choose)
  watch(isDark, choose)
}
