import type { Comparable } from '../../../../src-preload/contract/replay.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import text from '../../../ui/text.module.css'
import { openCompare, printComparable } from '../compare/comparable.ts'

/** An answer that can stand beside another. */
export type Answered = { readonly one: Comparable; readonly name: string }

/** Puts an answer beside another one of the same capture. */
export function CompareMenu({ of, among }: { of: Answered; among: readonly Answered[] }) {
  const own = printComparable(of.one)
  const others = among.filter(({ one }) => printComparable(one) !== own)
  if (others.length === 0) return null
  return (
    <Menu
      trigger={
        <Button kind="quiet">
          Compare with…<span className={text['hidden']}> another: the answer of {of.name}</span>
        </Button>
      }
      items={others.map(({ one, name }) => ({
        label: name,
        onSelect: () => openCompare(one, of.one),
      }))}
    />
  )
}
