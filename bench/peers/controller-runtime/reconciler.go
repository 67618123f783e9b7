// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// IrisReconciler creates the Deployment of an Iris, keeps its replicas and image, and writes the status.
type IrisReconciler struct {
	client.Client
	Scheme   *runtime.Scheme
	Recorder events.EventRecorder
}

// Reconcile implements reconcile.Reconciler.
func (r *IrisReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	iris := &Iris{}
	if err := r.Get(ctx, req.NamespacedName, iris); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !iris.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	dep, err := r.reconcileDeployment(ctx, iris)
	if err != nil {
		return ctrl.Result{}, err
	}
	status := IrisStatus{ReadyReplicas: dep.Status.ReadyReplicas, ObservedGeneration: iris.Generation}
	if iris.Status == status {
		return ctrl.Result{}, nil
	}
	iris.Status = status
	return ctrl.Result{}, r.Status().Update(ctx, iris)
}

func (r *IrisReconciler) reconcileDeployment(ctx context.Context, iris *Iris) (*appsv1.Deployment, error) {
	want, err := r.deploymentFor(iris)
	if err != nil {
		return nil, err
	}
	dep := &appsv1.Deployment{}
	err = r.Get(ctx, client.ObjectKeyFromObject(iris), dep)
	if apierrors.IsNotFound(err) {
		return want, r.create(ctx, iris, want)
	}
	if err != nil {
		return nil, err
	}
	container, wanted := &dep.Spec.Template.Spec.Containers[0], want.Spec.Template.Spec.Containers[0]
	if *dep.Spec.Replicas == *want.Spec.Replicas && container.Image == wanted.Image {
		return dep, nil
	}
	dep.Spec.Replicas, container.Image = want.Spec.Replicas, wanted.Image
	if err := r.Update(ctx, dep); err != nil {
		return nil, err
	}
	logf.FromContext(ctx).Info("Updated Deployment", "deployment", dep.Name)
	return dep, nil
}

func (r *IrisReconciler) create(ctx context.Context, iris *Iris, dep *appsv1.Deployment) error {
	if err := r.Create(ctx, dep); err != nil {
		return client.IgnoreAlreadyExists(err) // the cache does not have the Deployment of the previous reconcile yet
	}
	logf.FromContext(ctx).Info("Created Deployment", "deployment", dep.Name)
	r.Recorder.Eventf(iris, dep, corev1.EventTypeNormal, "Created", "Create", "Created Deployment %s", dep.Name)
	return nil
}

func (r *IrisReconciler) deploymentFor(iris *Iris) (*appsv1.Deployment, error) {
	replicas := int32(1)
	if iris.Spec.Replicas != nil {
		replicas = *iris.Spec.Replicas
	}
	labels := map[string]string{"app.kubernetes.io/name": "iris", "iris": iris.Name}
	dep := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: iris.Name, Namespace: iris.Namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "iris", Image: iris.Spec.Image}}},
			},
		},
	}
	return dep, ctrl.SetControllerReference(iris, dep, r.Scheme)
}
