import { useEffect, useRef } from 'react'
import type { SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { Choices } from '../../ui/chip.tsx'
import { ActivityForm } from './activity-form.tsx'
import { acts, useAct } from './act-state.ts'
import { DeployForm } from './deploy-form.tsx'
import { FaucetForm } from './faucet-form.tsx'
import { OpcodeForm } from './opcode-form.tsx'
import { PayForm } from './pay-form.tsx'
import { SendForm } from './send-form.tsx'
import styles from './forms.module.css'

/** What can be made to happen on the chain. */
export function ActTab({ chain }: { chain: SandboxChain }) {
  const act = useAct((state) => state.act)
  const asked = useAct((state) => state.asked)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (asked === 0) return
    const fields = [...(box.current?.querySelectorAll<HTMLElement>('form input') ?? [])]
    // A select has an input of its own behind it, which nobody sees.
    const first = fields.find((each) => each.ariaHidden !== 'true' && each.tabIndex >= 0)
    const other = box.current?.querySelector<HTMLElement>('form button')
    ;(first ?? other)?.focus()
  }, [asked])

  return (
    <div className={styles['tab']} ref={box}>
      <Choices
        label="What to do"
        value={act}
        onChange={(next) => useAct.setState({ act: next })}
        options={acts}
      />
      {act === 'send' && <SendForm chain={chain} />}
      {act === 'faucet' && <FaucetForm chain={chain} />}
      {act === 'pay' && <PayForm chain={chain} />}
      {act === 'deploy' && <DeployForm chain={chain} />}
      {act === 'opcode' && <OpcodeForm chain={chain} />}
      {act === 'activity' && <ActivityForm key={chain.network} chain={chain} />}
    </div>
  )
}
