"""Adds users and groups to a new domain, and prints all accounts and groups with their ids. The standard input says which."""

import json
import sys

from samba.auth import system_session
from samba.dcerpc import security
from samba.ndr import ndr_unpack
from samba.param import LoadParm
from samba.samdb import SamDB

wanted = json.load(sys.stdin)
lp = LoadParm()
lp.load(wanted["config"])
db = SamDB(session_info=system_session(lp), lp=lp)
for name in wanted["users"]:
    db.newuser(name, wanted["password"])
for name in wanted["groups"]:
    db.newgroup(name)
for name, members in wanted["groups"].items():
    db.add_remove_group_members(name, members, add_members_operation=True)


def sid_of(entry):
    return str(ndr_unpack(security.dom_sid, entry["objectSid"][0]))


found = db.search(
    expression="(objectSid=*)",
    attrs=["objectSid", "sAMAccountName", "primaryGroupID", "member", "objectClass"],
)
sids = {str(entry.dn): sid_of(entry) for entry in found}
accounts, groups, names = [], {}, {}
for entry in found:
    kinds = [str(kind) for kind in entry["objectClass"]]
    if "group" in kinds:
        members = [sids[str(dn)] for dn in entry.get("member", []) if str(dn) in sids]
        groups.setdefault(sid_of(entry), []).extend(members)
        names[sid_of(entry)] = str(entry["sAMAccountName"])
    elif "user" in kinds:
        accounts.append({"id": sid_of(entry), "name": str(entry["sAMAccountName"])})
        # The members of a primary group are not among its members.
        primary = sid_of(entry).rsplit("-", 1)[0] + "-" + str(entry["primaryGroupID"])
        groups.setdefault(primary, []).append(sid_of(entry))
ids = {account["id"] for account in accounts}
json.dump(
    {
        "accounts": accounts,
        "groups": [
            {
                "id": sid,
                "name": names.get(sid, sid),
                "members": [one for one in members if one in ids],
                "groups": [one for one in members if one in groups],
            }
            for sid, members in groups.items()
        ],
    },
    sys.stdout,
)
