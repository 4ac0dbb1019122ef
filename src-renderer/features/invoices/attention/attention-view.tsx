import { useEffect, useMemo, useRef } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { useRoute } from '../../../app/route.ts'
import { Chip } from '../../../ui/chip.tsx'
import pane from '../../../ui/pane.module.css'
import { ListSplitter } from '../../../components/list-splitter.tsx'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { matterWords } from '../invoice-words.ts'
import { MatterDetail } from './matter-detail.tsx'
import {
  type MatterList,
  createMatterList,
  followMatters,
  openMatters,
  useShown,
} from './matter-list.ts'
import { MatterRows } from './matter-rows.tsx'
import { matterKinds } from './matter-words.ts'
import styles from './attention.module.css'

/** What needs a person's decision, the oldest first, and what can be done about each. */
export function AttentionView({ network }: { network: Network }) {
  const route = useRoute((each) => each.route)
  const open = route.page === 'invoices' && route.view === 'attention' ? route.matter : null
  const shown = useShown()
  const field = useRef<HTMLInputElement>(null)
  const list = useMemo(() => createMatterList(), [])
  useEffect(() => openMatters(list, network.id, shown), [list, network.id, shown])
  useEffect(() => followMatters(list, network.id), [list, network.id])
  return (
    <div className={pane['pane']}>
      <search className={styles['filter']}>
        <Kinds list={list} />
        <Chip
          large
          pressed={shown.handled}
          onPress={() => useShown.setState({ handled: !shown.handled })}
        >
          Handled
        </Chip>
        <SearchField
          ref={field}
          label="Search what needs attention"
          placeholder="type to search id, text, payer"
          value={shown.text}
          onSearch={(typed) => useShown.setState({ text: typed })}
        />
      </search>
      <ListSplitter
        left={<MatterRows network={network} list={list} open={open} field={field} />}
        right={open === null ? null : <MatterDetail key={open} network={network} id={open} />}
      />
    </div>
  )
}

/** Kinds of which there is none are left out, but for the one that is shown. */
function Kinds({ list }: { list: MatterList }) {
  const { kind, handled } = useShown()
  const state = list.store()
  const counts = state.status === 'ready' && !handled ? state.extra : null
  const total =
    counts === null ? undefined : matterKinds.reduce((sum, each) => sum + counts[each], 0)
  return (
    <ChoiceChips
      label="What needs attention"
      value={kind}
      choices={[
        { value: null, label: 'All', count: total },
        ...matterKinds
          .filter((each) => handled || each === kind || (counts?.[each] ?? 0) > 0)
          .map((each) => ({
            value: each,
            label: capital(matterWords[each]),
            count: counts?.[each],
          })),
      ]}
      onChange={(next) => useShown.setState({ kind: next })}
    />
  )
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
