//! Cedar: resources are entities below what they lie in, owners and viewers are sets of users in their attributes.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid, PolicySet, Request,
    RestrictedExpression,
};

use crate::facts::Facts;
use crate::{Decide, Question};

/// What is granted by a relation to the resource, or to the folder that it lies in; nothing is changed that is held.
const POLICIES: &str = r#"
permit (principal, action == Action::"read", resource) when { resource.viewers.contains(principal) };
permit (principal, action in [Action::"read", Action::"write", Action::"delete"], resource)
when { resource.owners.contains(principal) };
permit (principal, action in [Action::"read", Action::"write", Action::"delete"], resource)
when { resource.above.contains(principal) };
forbid (principal, action in [Action::"write", Action::"delete"], resource) when { resource.held };
"#;

struct Names {
    user: EntityTypeName,
    action: EntityTypeName,
    resource: EntityTypeName,
}

fn uid(kind: &EntityTypeName, name: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(name))
}

pub(crate) fn decide(facts: &Facts) -> Result<Decide, Box<dyn std::error::Error>> {
    let named = EntityTypeName::from_str;
    let names = Names { user: named("User")?, action: named("Action")?, resource: named("Resource")? };
    let policies = PolicySet::from_str(POLICIES)?;
    let entities = entities(facts, &names)?;
    let authorizer = Authorizer::new();
    Ok(Box::new(move |question: &Question<'_>| {
        let request = Request::new(
            uid(&names.user, question.subject),
            uid(&names.action, question.action),
            uid(&names.resource, question.resource),
            Context::empty(),
            None,
        );
        let request = request.map_err(|error| error.to_string())?;
        let answer = authorizer.is_authorized(&request, &policies, &entities);
        let reasons = answer.diagnostics().reason().map(ToString::to_string).collect();
        Ok((answer.decision() == Decision::Allow, reasons))
    }))
}

fn entities(facts: &Facts, names: &Names) -> Result<Entities, Box<dyn std::error::Error>> {
    let users = |all: &[String]| {
        RestrictedExpression::new_set(
            all.iter().map(|name| RestrictedExpression::new_entity_uid(uid(&names.user, name))),
        )
    };
    let mut all = Vec::new();
    for (name, resource) in &facts.0 {
        // Cedar has no joins: whoever owns what a resource lies in is put down with it.
        let above: Vec<String> = resource
            .parents
            .iter()
            .filter_map(|parent| facts.0.get(parent))
            .flat_map(|parent| parent.owners.iter().cloned())
            .collect();
        let attributes = HashMap::from([
            (String::from("owners"), users(&resource.owners)),
            (String::from("viewers"), users(&resource.viewers)),
            (String::from("above"), users(&above)),
            (String::from("held"), RestrictedExpression::new_bool(false)),
        ]);
        all.push(Entity::new(uid(&names.resource, name), attributes, HashSet::new())?);
    }
    Ok(Entities::from_entities(all, None)?)
}
