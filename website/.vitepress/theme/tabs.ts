import type { PropType } from 'vue'
import { defineComponent, h, onMounted, ref, useId, vShow, withDirectives } from 'vue'
import { choose, chosenIndex, restoreChoice } from './choice.js'

/** Tabs that share the chosen label with all tabs of the site. Their contents are the slots `tab0`, `tab1`, … */
export const ChoiceTabs = defineComponent({
  props: { labels: { type: Array as PropType<string[]>, required: true } },
  setup({ labels }, { slots }) {
    const id = useId()
    const list = ref<HTMLElement>()

    onMounted(restoreChoice)

    function chooseByKey(event: KeyboardEvent) {
      const current = chosenIndex(labels)
      const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: -1 }[event.key]
      if (to === undefined) return
      event.preventDefault()
      const next = (to + labels.length) % labels.length
      choose(labels[next] as string)
      list.value?.querySelectorAll('button')[next]?.focus()
    }

    const tab = (label: string, index: number, selected: boolean) =>
      h(
        'button',
        {
          role: 'tab',
          type: 'button',
          id: `${id}-tab${index}`,
          'aria-controls': `${id}-panel${index}`,
          'aria-selected': selected,
          tabindex: selected ? 0 : -1,
          onClick: () => choose(label),
        },
        label,
      )

    const panel = (label: string, index: number, selected: boolean) =>
      withDirectives(
        h(
          'div',
          { role: 'tabpanel', id: `${id}-panel${index}`, 'aria-labelledby': `${id}-tab${index}`, 'data-label': label },
          slots[`tab${index}`]?.(),
        ),
        [[vShow, selected]],
      )

    return () => {
      const current = chosenIndex(labels)
      return h('div', { class: 'choice-tabs' }, [
        h(
          'div',
          { ref: list, role: 'tablist', onKeydown: chooseByKey },
          labels.map((label, index) => tab(label, index, index === current)),
        ),
        ...labels.map((label, index) => panel(label, index, index === current)),
      ])
    }
  },
})
