import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { StaffMemberRepository } from './repository.ts'

export const staffMemberLoaders = (staffMembers: StaffMemberRepository, { storeId }: Tenant) => ({
  staffMemberById: loaderByKey(
    async (ids: readonly number[]) => staffMembers.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
