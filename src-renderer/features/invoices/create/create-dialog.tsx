import { useRef } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useNetwork } from '../../../components/network-tag.tsx'
import { CreateForm } from './create-form.tsx'
import { Created } from './created.tsx'
import { Following } from './following.tsx'
import { type Stage, closeCreate, useIssuing } from './issuing.ts'
import { Lost } from './lost.tsx'

/** One invoice, from what it asks for to the link that is sent. */
export function CreateDialog({ network }: { network: Network }) {
  const { isOpen, stage } = useIssuing()
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog open={isOpen} onClose={closeCreate} wide title={titleOf(stage)} initialFocus={field}>
      <Content network={network} stage={stage} field={field} />
    </Dialog>
  )
}

function titleOf(stage: Stage): string {
  if (stage.at !== 'job' || stage.item === null) return 'New invoice'
  switch (stage.item.state) {
    case 'done':
      return `Invoice ${stage.item.invoice ?? ''} is created`
    case 'failed':
      return 'The invoice was not created'
    case 'unclear':
      return 'It is not clear whether the invoice was created'
    case 'waiting':
    case 'asked':
      return 'New invoice'
  }
}

function Content({
  network,
  stage,
  field,
}: {
  network: Network
  stage: Stage
  field: React.RefObject<HTMLInputElement | null>
}) {
  // Begun on one network, it stays there whichever is chosen since.
  const begun = useNetwork(stage.at === 'form' ? network.id : stage.network)
  switch (stage.at) {
    case 'form':
    case 'asking':
      return <CreateForm network={begun} field={field} busy={stage.at === 'asking'} />
    case 'lost':
      return <Lost network={begun} why={stage.why} />
    case 'job':
      return stage.item?.state === 'done' ? (
        <Created network={begun} item={stage.item} />
      ) : (
        <Following network={begun} job={stage.job} item={stage.item} />
      )
  }
}
