/**
 * Why a file of networks cannot be used. `missing`: it is not there; `unreadable`: no permission, or
 * no file; `too_large`: over our limits; `truncated`: it ends in the middle; `malformed`: neither
 * IPtoASN nor a MaxMind database with systems; `timeout`: reading took too long or too much memory.
 */
export type NetworkFileFaultReason = 'missing' | 'unreadable' | 'too_large' | 'truncated' | 'malformed' | 'timeout'

export class NetworkFileFault extends Error {
  override readonly name = 'NetworkFileFault'
  readonly reason: NetworkFileFaultReason
  constructor(reason: NetworkFileFaultReason, message: string) {
    super(message)
    this.reason = reason
  }
}
